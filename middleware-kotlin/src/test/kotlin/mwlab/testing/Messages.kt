package mwlab.testing

import java.nio.ByteBuffer

/**
 * Cuts received bytes into messages, however they arrive.
 *
 * @param next the next message at the position of a buffer with its length in bytes, or null if it is not complete
 */
internal class Messages<M : Any>(private val next: (ByteBuffer) -> Pair<M, Int>?) {
    private var unread = ByteArray(0)

    /** Calls [handle] with each message that [bytes] complete, and its text. */
    fun read(bytes: ByteArray, handle: (M, String) -> Unit) {
        val buffer = ByteBuffer.wrap(unread + bytes)
        while (true) {
            val (message, length) = next(buffer) ?: break
            handle(message, String(buffer.array(), buffer.position(), length, Charsets.ISO_8859_1))
            buffer.position(buffer.position() + length)
        }
        unread = buffer.array().copyOfRange(buffer.position(), buffer.limit())
    }
}
