package mwlab.prove.fuzz

import mwlab.middleware.Dispatch
import mwlab.prove.fuzz.connections.Replies
import mwlab.prove.fuzz.connections.Scene
import mwlab.prove.fuzz.connections.Stage

/**
 * Clients' and servers' bytes through a whole middleware: nothing hangs or fails inside, each client gets the server's answers to its own
 * requests or an error of the middleware's own, and another one is served as ever.
 */
object ConnectionTarget {
    private val stages = Dispatch.entries.associateWith { lazy { Stage(it) } }

    /** What the fuzzer calls. */
    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) {
        val scene = Scene(data)
        val dispatch = if (scene.isPipelined) Dispatch.PIPELINED else Dispatch.SEQUENTIAL
        Replies(scene, stages.getValue(dispatch).value.play(scene)).check()
    }
}
