package mwlab.middleware

/** Takes jobs from the queue and sees to it that they are answered. Confined to one loop. */
internal interface Worker {
    /** Works until the queue is closed and empty. */
    suspend fun run()
}

/** Hears that all calls of a job are answered or have failed; on the loop of the calls. */
internal fun interface AnswerListener {
    fun answered(job: Job)
}
