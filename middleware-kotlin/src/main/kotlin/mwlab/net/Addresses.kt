package mwlab.net

import java.net.InetSocketAddress

/** `<ip>:<port>`, as it was given. */
internal val InetSocketAddress.text: String
    get() = if (':' in hostString) "[$hostString]:$port" else "$hostString:$port"
