package mwlab.memcached

/**
 * One complete reply of a server: [length] bytes of the buffer it was read from, beginning at the buffer's position.
 *
 * A response holds no bytes, it only says what stands where; offsets count from the reply's first byte.
 */
sealed interface Response {
    val length: Int

    /** The values that a get, gets, gat or gats found, with the closing `END`; [starts] is where the `VALUE` line of each begins. */
    class Values(override val length: Int, val starts: IntArray) : Response {
        val hits: Int get() = starts.size

        /** Length without the closing `END\r\n`. */
        val bodyLength: Int get() = length - END_LINE_BYTES

        /** Where the value ends that begins at `starts[index]`. */
        fun end(index: Int): Int = if (index + 1 < starts.size) starts[index + 1] else bodyLength
    }

    /** A line that says how a command went: `STORED`, `NOT_FOUND`, `OK`, a number, `VERSION ...` and so on. */
    class Line(override val length: Int, val status: Status) : Response

    /** The lines of `stats` of any kind or of a dump, up to and including `END` or `EN`; without lines it is [Values] or [Meta]. */
    class Statistics(override val length: Int) : Response

    /** The answer to a meta command. */
    class Meta(override val length: Int, val code: MetaCode) : Response

    /** An error line; [lineOffset] is not 0 if values came first, as when memory ran out on the way. */
    class Failure(override val length: Int, val kind: FailureKind, val lineOffset: Int = 0) : Response

    companion object {
        const val END_LINE_BYTES = 5
    }
}

/** The one-line replies of the classic commands; [isSuccess]: it has done what it was to do, or there was nothing to do. */
enum class Status(val isSuccess: Boolean = true) {
    STORED,
    NOT_STORED(isSuccess = false),
    EXISTS(isSuccess = false),
    NOT_FOUND(isSuccess = false),
    DELETED,
    TOUCHED,
    OK,
    RESET,
    BUSY(isSuccess = false),
    NUMBER,
    VERSION,

    /** Those of the commands that steer memcached. */
    BADCLASS(isSuccess = false),
    NOSPARE(isSuccess = false),
    SAME(isSuccess = false),
    NOTSTARTED,
    MEMLIMIT_TOO_SMALL(isSuccess = false),
    MEMLIMIT_ADJUST_FAILED(isSuccess = false),
}

/** The return codes of the meta commands; [isSuccess] as of [Status]. */
enum class MetaCode(val isSuccess: Boolean = true) { HD, VA, EN, NF(false), NS(false), EX(false), MN, ME }

/** Who is to blame: an unknown command, the client, or the server. */
enum class FailureKind { ERROR, CLIENT_ERROR, SERVER_ERROR }
