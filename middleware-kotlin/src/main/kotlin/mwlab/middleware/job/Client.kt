package mwlab.middleware.job

import mwlab.net.EventLoop
import java.net.SocketAddress

/** Who has sent a job, and gets the reply to it. */
internal interface Client {
    val loop: EventLoop
    val address: SocketAddress

    /** Hands over [reply], on [loop]; the client releases [job] when it is written. */
    fun deliver(job: Job, reply: Reply)
}
