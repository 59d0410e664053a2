package mwlab.middleware.messages

import mwlab.memcached.CRLF_BYTES
import mwlab.memcached.Request
import mwlab.memcached.text
import java.nio.ByteBuffer

/**
 * The numbers of a `set` or `add`.
 *
 * @property flags null if they are none of memcached's, which have 32 bits.
 * @property expiresIn the time after which it expires; null if it is said in a form that nobody uses.
 * @property bytes length of the value.
 */
internal class Storage private constructor(val flags: Long?, val expiresIn: Long?, val bytes: Int) {
    companion object {
        private const val MAX_FLAGS = 0xffff_ffffL

        /** Those of [request] at the position of [buffer]; its line was understood already. */
        fun of(request: Request.Update, buffer: ByteBuffer): Storage {
            val start = buffer.position()
            val words = text(buffer, start + request.keys.end(0), start + request.replyEnd).split(' ')
                .filter(String::isNotEmpty)
            return Storage(
                flags = words[0].toLongOrNull()?.takeIf { it in 0..MAX_FLAGS },
                expiresIn = words[1].toLongOrNull(),
                bytes = request.length - request.lineLength - CRLF_BYTES,
            )
        }
    }
}
