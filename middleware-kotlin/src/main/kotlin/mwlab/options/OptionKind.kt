package mwlab.options

import mwlab.net.UNIX
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.UnixDomainSocketAddress
import java.net.UnknownHostException
import java.nio.file.Path
import kotlin.time.Duration

/**
 * What the text of an option's value must be, and what it becomes.
 *
 * @property takes what is asked for, in the words of the complaint
 * @property alone what the option without a value stands for; null: it needs one
 * @property isSecret the text must not be shown
 * @property parse the value, or null if the text is none
 */
internal class OptionKind<out T>(
    val takes: String,
    val alone: String? = null,
    private val isSecret: Boolean = false,
    private val parse: (String) -> T?,
) {
    /** @throws OptionException if [text] is no value of this kind */
    fun read(option: String, text: String): T {
        val value = try {
            parse(text)
        } catch (unknown: UnknownHostException) {
            throw OptionException("option --$option: no address for ${unknown.message}", unknown)
        }
        demand(value != null) { "option --$option takes $takes${if (isSecret) "" else ", got \"$text\""}" }
        return value
    }

    companion object {
        val NUMBER = OptionKind("a number") { text -> text.toIntOrNull()?.takeIf { it >= 0 } }
        val BYTES = OptionKind("a number") { text -> text.toLongOrNull()?.takeIf { it >= 0 } }
        val TIME = OptionKind("a time such as 500ms", parse = Duration::parseOrNull)
        val DIRECTORY = OptionKind("a directory", parse = Path::of)
        val SOCKET = OptionKind("<ip:port>", parse = ::socketOf)
        val ADDRESS = OptionKind<SocketAddress>("<ip:port> or $UNIX<path>") { unixOf(it) ?: socketOf(it) }

        /** Where to listen; the port is told by itself, and 0 here. */
        val HOST = OptionKind("a host or $UNIX<path>") { unixOf(it) ?: InetSocketAddress(InetAddress.getByName(it), 0) }
        val TRUE_OR_FALSE = OptionKind("false or true", parse = String::toBooleanStrictOrNull)
        val SWITCH = OptionKind("on or off", alone = "on") { text ->
            when (text) {
                "on", "true" -> true
                "off", "false" -> false
                else -> null
            }
        }

        /** One of [choices]. */
        fun <T : Choice> choice(choices: List<T>) = OptionKind(choices.joinToString(" or ") { it.option }) { text ->
            choices.find { it.option == text }
        }

        private const val MAX_PORT = 65_535

        /** A port of a host, checked. */
        fun socket(host: InetAddress, port: Int): InetSocketAddress {
            demand(port in 0..MAX_PORT) { "a port is 0 to $MAX_PORT, got $port" }
            return InetSocketAddress(host, port)
        }

        private fun unixOf(text: String): SocketAddress? =
            text.removePrefix(UNIX).takeIf { it != text && it.isNotEmpty() }?.let(UnixDomainSocketAddress::of)

        private fun socketOf(text: String): InetSocketAddress? {
            val port = text.substringAfterLast(':', "").toIntOrNull()?.takeIf { it > 0 } ?: return null
            return socket(InetAddress.getByName(text.substringBeforeLast(':').removeSurrounding("[", "]")), port)
        }
    }
}

/** A value that an option names. */
interface Choice {
    /** Its name on the command line. */
    val option: String
}
