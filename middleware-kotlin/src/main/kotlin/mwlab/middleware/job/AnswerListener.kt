package mwlab.middleware.job

/** Hears that all calls of a job are answered or have failed; on the loop of the calls. */
internal fun interface AnswerListener {
    fun answered(job: Job)
}
