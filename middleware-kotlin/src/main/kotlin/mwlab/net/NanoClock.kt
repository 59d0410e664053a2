package mwlab.net

/** Where all stamps and deadlines come from: nanoseconds that only grow, from an arbitrary moment on. Thread-safe. */
fun interface NanoClock {
    fun nanos(): Long

    companion object {
        val SYSTEM = NanoClock(System::nanoTime)
    }
}
