package mwlab.loadgen.client

import mwlab.loadgen.request.Outcome
import mwlab.memcached.Response
import java.nio.ByteBuffer

private const val LONGEST_ERROR_BYTES = 200
private const val SPACE = ' '.code.toByte()
private const val CR = '\r'.code.toByte()
private const val ZERO = '0'.code.toByte()

/** How many keys the reply at the position of the input has found; 0 if it is not about finding. */
internal fun hitsOf(outcome: Outcome, response: Response): Int = when {
    response is Response.Values -> response.hits
    outcome == Outcome.HIT -> 1
    else -> 0
}

/** The line that says what went wrong of the reply at the position of [input]. */
internal fun errorLine(input: ByteBuffer, response: Response): String {
    val offset = (response as? Response.Failure)?.lineOffset ?: 0
    val bytes = ByteArray(minOf(response.length - offset, LONGEST_ERROR_BYTES))
    input.get(input.position() + offset, bytes)
    return String(bytes, Charsets.ISO_8859_1).lineSequence().first()
}

/** The `cas` unique of the value at the position of [input]: the number at the end of its line. */
internal fun uniqueOf(input: ByteBuffer): Long {
    var number = 0L
    var index = input.position()
    while (input.get(index) != CR) {
        val byte = input.get(index++)
        number = if (byte == SPACE) 0 else number * 10 + (byte - ZERO)
    }
    return number
}
