package mwlab.net

/** Whom an [EventLoop] tells of what should never happen; called on the loop's thread, and must not throw. */
interface FailureHandler {
    /** A connection failed for [cause] and was closed; the others go on. */
    fun connectionFailed(cause: Throwable)

    /** A task, a timer or a hook of [loop] threw [cause]: the loop goes on, but what that work was for may never happen. */
    fun loopFailed(loop: EventLoop, cause: Throwable)

    /** Says so on stderr. */
    object Default : FailureHandler {
        override fun connectionFailed(cause: Throwable) = tell(cause)

        override fun loopFailed(loop: EventLoop, cause: Throwable) = tell(cause)

        private fun tell(cause: Throwable) =
            Thread.currentThread().let { it.uncaughtExceptionHandler.uncaughtException(it, cause) }
    }
}
