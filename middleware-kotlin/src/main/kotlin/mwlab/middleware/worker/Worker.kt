package mwlab.middleware.worker

/** Takes jobs from the queue and sees to it that they are answered. Confined to one loop. */
internal interface Worker {
    /** Works until the queue is closed and empty. */
    suspend fun run()
}
