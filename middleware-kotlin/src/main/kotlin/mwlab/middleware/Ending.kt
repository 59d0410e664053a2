package mwlab.middleware

/**
 * How a middleware has ended.
 *
 * @property fault what should never happen and has ended it; null: it was told to end.
 * @property isDrained whether all that was read was answered in time, and all who worked on it have ended.
 * @property unansweredRequests requests that were read and not answered in time, or not to the end.
 * @property lateRequests requests that came after the middleware had stopped reading.
 */
class Ending(val fault: Throwable?, val isDrained: Boolean, val unansweredRequests: Int, val lateRequests: Long)
