package mwlab.net

import java.net.Inet6Address
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.UnixDomainSocketAddress

/** What the path of a Unix domain socket stands behind on a command line. */
internal const val UNIX = "unix:"

/** `<ip>:<port>`, as it was given, or `unix:<path>`. */
internal val SocketAddress.text: String
    get() = when (this) {
        is InetSocketAddress -> if (':' in hostString) "[$hostString]:$port" else "$hostString:$port"
        is UnixDomainSocketAddress -> "$UNIX$path"
        else -> "$this"
    }

/** As [text], but with the address in numbers; IPv6 with `::` for its longest run of zeros. */
internal val SocketAddress.numeric: String
    get() {
        if (this !is InetSocketAddress) return text
        val host = address.hostAddress
        return if (address is Inet6Address) "[${shortened(host)}]:$port" else "$host:$port"
    }

private val ZEROS = Regex("(?:^|:)0(?::0)+(?::|$|(?=%))")

private fun shortened(ipv6: String): String {
    val longest = ZEROS.findAll(ipv6).maxByOrNull { it.value.length } ?: return ipv6
    return ipv6.replaceRange(longest.range, "::")
}
