package mwlab.loadgen.workload

import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Mix
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Queues
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.SentRequest
import java.nio.ByteBuffer
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class QueueWorkloadTest {
    private val request = SentRequest()

    private fun workload(queues: Queues, vararg weights: Pair<Operation, Int>): Workload {
        val options = Options(
            mix = Mix(queues = queues, weights = mapOf(*weights)),
            keys = Keys("q"),
            values = Values(ValueSize.Fixed(3)),
        )
        return Workload(options, connection = 0, baseSeed = 1)
    }

    private fun Workload.next(): String {
        val out = ByteBuffer.allocate(1000)
        next(request, out)
        assertEquals(out.position(), request.bytes)
        return String(out.array(), 0, out.position())
    }

    private fun textOf(operation: Operation, receivers: Int) = workload(Queues(1, receivers), operation to 1).next()

    @Test
    fun `messages are written as the protocol of queues has them`() {
        assertEquals("set q1 0 0 3\r\nxxx\r\n", textOf(Operation.SEND, receivers = 0))
        assertEquals("get q1\r\n", textOf(Operation.POP, receivers = 0))
        assertEquals("get q1/peek\r\n", textOf(Operation.PEEK, receivers = 0))
        assertEquals("get */waiting\r\n", textOf(Operation.LIST, receivers = 0))
    }

    @Test
    fun `with receivers every request names one`() {
        assertEquals("set q1/to/r1 0 0 3\r\nxxx\r\n", textOf(Operation.SEND, receivers = 1))
        assertEquals("get q1/to/r1\r\n", textOf(Operation.POP, receivers = 1))
        assertEquals("get q1/to/r1/peek\r\n", textOf(Operation.PEEK, receivers = 1))
        assertEquals("get */waiting/to/r1\r\n", textOf(Operation.LIST, receivers = 1))
    }

    @Test
    fun `a message that is asked for can be missed, one that is sent cannot`() {
        for (operation in Operation.OF_QUEUES) {
            workload(Queues(), operation to 1).next()
            assertEquals(operation, request.operation)
            assertEquals(if (operation == Operation.SEND) 0 else 1, request.keys)
        }
    }

    @Test
    fun `queues and receivers are each as frequent as the others, whatever is asked of them`() {
        val workload = workload(Queues(5, 4), Operation.SEND to 1, Operation.POP to 1)
        val keys = List(20_000) { workload.next().substringBefore("\r\n").split(' ')[1] }
        val all = (1..5).flatMap { queue -> (1..4).map { "q$queue/to/r$it" } }
        val counts = keys.groupingBy { it }.eachCount()
        assertEquals(all.toSet(), counts.keys)
        for ((key, count) in counts) assertEquals(1000.0, count.toDouble(), 5 * sqrt(950.0), key)
    }

    @Test
    fun `the longest request has room`() {
        val queues = Queues(Int.MAX_VALUE, Int.MAX_VALUE)
        val prefix = "q".repeat(250 - queues.longestKeyBytes(""))
        val options = Options(
            mix = Mix(queues = queues, weights = mapOf(Operation.SEND to 1, Operation.PEEK to 1)),
            keys = Keys(prefix),
            values = Values(ValueSize.Fixed(2000)),
        )
        val workload = Workload(options, connection = 0, baseSeed = 0)
        val room = Workload.largestRequestBytes(options)
        val lengths = List(100) { workload.next(request, ByteBuffer.allocate(room)).let { request.bytes } }
        assertTrue(lengths.max() in 2200..room)
    }
}
