package mwlab.net

import java.net.Inet6Address
import java.net.InetSocketAddress

/** `<ip>:<port>`, as it was given. */
internal val InetSocketAddress.text: String
    get() = if (':' in hostString) "[$hostString]:$port" else "$hostString:$port"

/** `<ip>:<port>` in numbers; an IPv6 address stands in brackets, with `::` for its longest run of zeros. */
internal val InetSocketAddress.numeric: String
    get() = if (address is Inet6Address) "[${shortened(address.hostAddress)}]:$port" else "${address.hostAddress}:$port"

private val ZEROS = Regex("(?:^|:)0(?::0)+(?::|$|(?=%))")

private fun shortened(ipv6: String): String {
    val longest = ZEROS.findAll(ipv6).maxByOrNull { it.value.length } ?: return ipv6
    return ipv6.replaceRange(longest.range, "::")
}
