package mwlab.metrics.stats

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.microseconds

class StatsMemoryTest {
    private val heap = 1L shl 30

    @Test
    fun `the narrowest bins leave most of the budget, with several net threads and servers too`() {
        for ((netThreads, servers) in listOf(1 to 3, 4 to 3, 4 to 8)) {
            val bytes = StatsMemory.bytesForChunks(heap, netThreads, servers, 10.microseconds)
            assertTrue(bytes in heap / 3..heap / 2, "$netThreads net threads, $servers servers: $bytes")
        }
    }

    @Test
    fun `what the heap cannot hold is refused, with the options that would help`() {
        val advice = mapOf(
            64 to "raise --histogram-bin, lower --net-threads, or set JAVA_OPTS=-Xmx",
            200 to ": lower --net-threads, or set JAVA_OPTS=-Xmx",
        )
        for ((netThreads, told) in advice) {
            val failure = assertFailsWith<IllegalArgumentException> {
                StatsMemory.bytesForChunks(heap, netThreads, servers = 3, 10.microseconds)
            }
            val message = failure.message.orEmpty()
            assertTrue(told in message, message)
            assertEquals(1, message.lines().size)
            val needed = Regex("need a heap of (\\d+) MiB").find(message)!!.groupValues[1].toLong()
            StatsMemory.bytesForChunks((needed + 1) shl 20, netThreads, servers = 3, 10.microseconds)
        }
    }

    @Test
    fun `bins that are added to others give their memory back`() {
        val memory = StatsMemory()
        val (sum, others) = List(2) { Bins(100.microseconds, servers = 1, memory) }
        for (bins in listOf(sum, others)) bins.recordServer(server = 0, type = 0, nanos = 5)
        val usedBytes = memory.usedBytes
        sum.take(others)
        assertEquals(usedBytes / 2, memory.usedBytes)
    }
}
