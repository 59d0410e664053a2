package mwlab.middleware.job

import mwlab.net.EventLoop

/** Who has sent a job, and gets the reply to it. */
internal interface Client {
    val loop: EventLoop

    /** Hands over [reply], on [loop]; false if not all of it could be written at once: it is released when it is. */
    fun deliver(job: Job, reply: Reply): Boolean
}
