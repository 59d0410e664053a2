package mwlab.middleware.job

import mwlab.net.EventLoop

/** Who has sent a job, and gets the reply to it. */
internal interface Client {
    val loop: EventLoop

    /** Hands over [reply], on [loop]; false if the client keeps what could not be written at once, and releases [job] after it. */
    fun deliver(job: Job, reply: Reply): Boolean
}
