package mwlab.loadgen

import sun.misc.Signal
import sun.misc.SignalHandler
import java.util.concurrent.atomic.AtomicReference

/** The user's wish to end the run early and to see what was measured. Thread-safe. */
internal class Interruption {
    private val action = AtomicReference<() -> Unit>()

    @Volatile
    var isRequested = false
        private set

    fun request() {
        isRequested = true
        action.get()?.invoke()
    }

    /** Runs [stop] when the wish comes, at once if it has come already; replaces what was set before. */
    fun onRequest(stop: () -> Unit) {
        action.set(stop)
        if (isRequested) stop()
    }

    companion object {
        /** An interruption that comes with SIGINT or SIGTERM; a second such signal ends the process the hard way. */
        fun bySignal(): Interruption {
            val interruption = Interruption()
            for (name in listOf("INT", "TERM")) {
                Signal.handle(Signal(name)) { signal ->
                    Signal.handle(signal, SignalHandler.SIG_DFL)
                    interruption.request()
                }
            }
            return interruption
        }
    }
}
