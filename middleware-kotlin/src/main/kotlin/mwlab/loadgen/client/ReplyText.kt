package mwlab.loadgen.client

import mwlab.memcached.Response
import java.nio.ByteBuffer

private const val LONGEST_ERROR_BYTES = 200

/** How many keys the reply at the position of the input has found; 0 if it is not about finding. */
internal fun hitsOf(response: Response): Int = (response as? Response.Values)?.hits ?: 0

/** The line that says what went wrong of the reply at the position of [input]. */
internal fun errorLine(input: ByteBuffer, response: Response): String {
    val offset = (response as? Response.Failure)?.lineOffset ?: 0
    val bytes = ByteArray(minOf(response.length - offset, LONGEST_ERROR_BYTES))
    input.get(input.position() + offset, bytes)
    return String(bytes, Charsets.ISO_8859_1).lineSequence().first()
}
