package mwlab.middleware.client

import mwlab.testing.MemoryConnection
import mwlab.testing.onVirtualLoop
import java.io.IOException
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.time.Duration.Companion.seconds

class ClientsTest {
    @Test
    fun `a client that is gone before it is served leaves its place to others`() = onVirtualLoop { virtual ->
        val clients = Clients(most = 1, timeout = 1.seconds, idleTimeout = null)
        repeat(2) {
            assertFailsWith<IOException> {
                clients.serve(MemoryConnection(virtual.loop)) { throw IOException("not connected") }
            }
        }
        assertEquals(0, clients.refusedCount)
    }
}
