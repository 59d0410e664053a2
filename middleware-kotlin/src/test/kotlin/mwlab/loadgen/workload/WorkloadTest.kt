package mwlab.loadgen.workload

import mwlab.loadgen.options.KeyPattern
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Mix
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import mwlab.loadgen.request.SentRequest
import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class WorkloadTest {
    private val sequential =
        Keys(
            prefix = "k",
            minimum = 1,
            maximum = 100,
            setPattern = KeyPattern.SEQUENTIAL,
            getPattern = KeyPattern.SEQUENTIAL,
        )

    private fun requests(options: Options, count: Int): List<String> {
        val workload = Workload(options, connection = 0, baseSeed = 0)
        val out = ByteBuffer.allocate(Workload.largestRequestBytes(options))
        return List(count) {
            val request = SentRequest()
            workload.next(request, out.clear())
            assertEquals(out.position(), request.bytes)
            String(out.array(), 0, out.position())
        }
    }

    @Test
    fun `a set has key, no flags, expiry, length and data`() {
        val options =
            Options(mix = Mix(1, 0), keys = sequential, values = Values(ValueSize.Fixed(5), expiryS = 60L..60L))
        assertEquals(listOf("set k1 0 60 5\r\nxxxxx\r\n", "set k2 0 60 5\r\nxxxxx\r\n"), requests(options, 2))
    }

    @Test
    fun `sets and gets walk through the keys on their own, in cycles of the ratio`() {
        val options = Options(mix = Mix(1, 2), keys = sequential, values = Values(ValueSize.Fixed(1)))
        val set = "set k1 0 0 1\r\nx\r\n"
        assertEquals(
            listOf(set, "get k1\r\n", "get k2\r\n", "set k2 0 0 1\r\nx\r\n", "get k3\r\n"),
            requests(options, 5),
        )
    }

    @Test
    fun `a multi-key get counts as as many gets as it has keys`() {
        val options = Options(mix = Mix(0, 5, multiKeyGet = 3), keys = sequential)
        assertEquals(listOf("get k1 k2 k3\r\n", "get k4 k5\r\n", "get k6 k7 k8\r\n"), requests(options, 3))
    }

    @Test
    fun `sizes follow weights in turn`() {
        val sizes = ValueSize.Weighted(listOf(1 to 2, 3 to 1))
        val options = Options(mix = Mix(1, 0), keys = sequential, values = Values(sizes))
        assertEquals(listOf(1, 1, 3, 1, 1, 3), requests(options, 6).map { it.lines()[1].length })
    }

    @Test
    fun `sizes spread over the keys grow from the first key to the last`() {
        val values = Values(ValueSize.Range(10..109), spreadOverKeys = true)
        val options = Options(mix = Mix(1, 0), keys = sequential, values = values)
        assertEquals((10..109).toList(), requests(options, 100).map { it.lines()[1].length })
    }

    @Test
    fun `random sizes, data and expiry stay in their ranges`() {
        val values = Values(ValueSize.Range(10..20), randomData = true, expiryS = 5L..6L)
        val options = Options(mix = Mix(1, 0), keys = sequential, values = values)
        val workload = Workload(options, connection = 0, baseSeed = 0)
        val out = ByteBuffer.allocate(Workload.largestRequestBytes(options))
        val data = HashSet<String>()
        repeat(1000) {
            workload.next(SentRequest(), out.clear())
            val text = String(out.array(), 0, out.position(), Charsets.ISO_8859_1)
            val (expiry, size) = text.substringBefore("\r\n").split(' ').drop(3).map { it.toInt() }
            assertTrue(expiry in 5..6 && size in 10..20, text)
            data += text.substringAfter("\r\n").dropLast(2).also { assertEquals(size, it.length) }
        }
        assertTrue(data.size > 50, "only ${data.size} different values")
    }

    @Test
    fun `numbers are written digit by digit`() {
        for (number in listOf(0L, 9, 10, 12_345, Long.MAX_VALUE)) {
            val buffer = ByteBuffer.allocate(32).putDecimal(number).flip()
            assertEquals("$number", Charsets.US_ASCII.decode(buffer).toString())
        }
    }
}
