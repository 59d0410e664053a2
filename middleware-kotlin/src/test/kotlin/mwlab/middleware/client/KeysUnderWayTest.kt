package mwlab.middleware.client

import mwlab.memcached.RequestReader
import mwlab.testing.bytes
import kotlin.test.Test
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class KeysUnderWayTest {
    private val keys = KeysUnderWay()

    private fun add(command: String) = bytes("$command\r\n").let { keys.add(RequestReader(10).next(it)!!, it) }

    private fun allows(command: String) = bytes("$command\r\n").let { keys.allows(RequestReader(10).next(it)!!, it) }

    @Test
    fun `no more keys than a few are compared with those of the next request`() {
        repeat(2000) { add("get r$it") }
        assertTrue(allows("get other"))
        assertFalse(allows("delete other"))
        keys.clear()
        repeat(2000) { add("delete c$it") }
        assertFalse(allows("get other"))
        keys.clear()
        assertTrue(allows("delete other"))
    }
}
