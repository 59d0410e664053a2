package mwlab.follow

import java.net.InetAddress
import java.net.InetSocketAddress
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class FollowTest {
    @Test
    fun `one of N requests of each connection is taken, at places that differ by port`() {
        val follow = Follow(10)
        val taken = (40_000..40_009).map { port -> (0L..99L).filter { follow.takes(port, it) } }
        taken.forEach { assertEquals(10, it.size) }
        assertEquals((0L..9L).toSet(), taken.map { it.first() }.toSet())
    }

    @Test
    fun `kinds of requests that take turns are all taken`() {
        for (oneOf in listOf(2, 10, 100)) {
            val taken = (0L..<20L * oneOf).filter { Follow(oneOf).takes(40_000, it) }
            assertEquals(20, taken.size)
            for (turns in listOf(2L, 10L)) {
                assertEquals((0..<turns).toSet(), taken.map { it % turns }.toSet(), "1/$oneOf of $turns kinds")
            }
        }
    }

    @Test
    fun `the choice is the one that packets are read by`() {
        assertEquals(listOf(3L, 12L, 21L, 30L, 49L), (0L..<50L).filter { Follow(10).takes(40_003, it) })
    }

    @Test
    fun `one of one is every request`() {
        assertEquals(100, (0L..99L).count { Follow(1).takes(50_000, it) })
    }

    @Test
    fun `a share is written as 1 of N`() {
        assertEquals(1000, Follow.parse("1/1000")?.oneOf)
        for (wrong in listOf("", "1", "1000", "2/3", "1/0", "1/-5", "1/x", "1/05", "1/99999999999")) {
            assertEquals(null, Follow.parse(wrong), wrong)
        }
        assertFailsWith<IllegalArgumentException> { Follow(0) }
    }

    @Test
    fun `a client is named by its numbers`() {
        assertEquals("127.0.0.1:5", Follow.nameOf(InetSocketAddress(InetAddress.getByName("localhost"), 5)))
    }
}
