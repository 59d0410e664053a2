package mwlab.net

import java.net.InetSocketAddress
import kotlin.test.Test
import kotlin.test.assertEquals

class AddressesTest {
    @Test
    fun `an IPv6 address stands in brackets, without its longest run of zeros`() {
        val told = mapOf(
            "127.0.0.1" to "127.0.0.1:1",
            "10.0.0.0" to "10.0.0.0:1",
            "::1" to "[::1]:1",
            "::" to "[::]:1",
            "fe80::1:0:0:2" to "[fe80::1:0:0:2]:1",
            "2001:db8:0:1:10:20:30:40" to "[2001:db8:0:1:10:20:30:40]:1",
            "1:0:0:2:0:0:0:3" to "[1:0:0:2::3]:1",
            "2001:db8::" to "[2001:db8::]:1",
        )
        assertEquals(told, told.mapValues { (address, _) -> InetSocketAddress(address, 1).numeric })
    }
}
