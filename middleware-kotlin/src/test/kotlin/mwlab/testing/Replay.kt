package mwlab.testing

import java.nio.ByteBuffer

/** The bytes of [text], one per character. */
fun bytes(text: String): ByteBuffer = ByteBuffer.wrap(text.toByteArray(Charsets.ISO_8859_1))

/**
 * Everything that [next] finds in [text], consuming what it finds, when the bytes arrive [step] at a time.
 *
 * Parsers must find the same whatever the step; the buffer moves between calls, as a connection's does.
 */
fun <T : Any> replay(text: String, step: Int, length: (T) -> Int, next: (ByteBuffer) -> T?): List<T> {
    val all = bytes(text)
    val found = mutableListOf<T>()
    var consumed = 0
    var received = 0
    while (received < all.limit()) {
        received = minOf(received + step, all.limit())
        while (true) {
            val arrived = ByteBuffer.allocate(received - consumed + 3).position(3)
            arrived.put(all.slice(consumed, received - consumed)).position(3)
            val item = next(arrived)
            consumed += arrived.position() - 3
            if (item == null) break
            consumed += length(item)
            found += item
        }
    }
    return found
}
