package mwlab.middleware.job

import mwlab.net.EventLoop

/** Who has sent a job, and gets the reply to it. */
internal interface Client {
    val loop: EventLoop

    /** Hands over [reply], on [loop]; the client releases [job] when it is written. */
    fun deliver(job: Job, reply: Reply)
}
