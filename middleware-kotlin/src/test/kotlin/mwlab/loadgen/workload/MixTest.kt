package mwlab.loadgen.workload

import mwlab.loadgen.options.KeyPattern
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Mix
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.Outcome
import mwlab.loadgen.request.SentRequest
import java.nio.ByteBuffer
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotEquals

class MixTest {
    private val request = SentRequest()

    private fun options(vararg weights: Pair<Operation, Int>, seed: Long = 0) = Options(
        mix = Mix(weights = mapOf(*weights)),
        keys = Keys("k", 1, 100, KeyPattern.SEQUENTIAL, KeyPattern.SEQUENTIAL, seed = seed),
        values = Values(ValueSize.Fixed(3), expiryS = 60L..60L),
    )

    private fun workload(options: Options) = Workload(options, connection = 0, baseSeed = options.keys.seed ?: 0)

    private fun Workload.next(): String {
        val out = ByteBuffer.allocate(1000)
        next(request, out)
        assertEquals(out.position(), request.bytes)
        return String(out.array(), 0, out.position())
    }

    @Test
    fun `every operation is written as the protocol has it`() {
        val expected = mapOf(
            Operation.SET to "set k1 0 60 3\r\nxxx\r\n",
            Operation.GET to "get k1\r\n",
            Operation.DELETE to "delete k1\r\n",
            Operation.TOUCH to "touch k1 60\r\n",
            Operation.INCR to "incr kn-1 1\r\n",
            Operation.DECR to "decr kn-1 1\r\n",
            Operation.CAS to "gets k1\r\n",
            Operation.GAT to "gat 60 k1\r\n",
            Operation.META_GET to "mg k1 v\r\n",
        )
        for ((operation, text) in expected) assertEquals(text, workload(options(operation to 1)).next())
    }

    @Test
    fun `a value that has been read is replaced by a cas with its unique`() {
        val workload = workload(options(Operation.CAS to 1))
        workload.next()
        request.outcome = Outcome.HIT
        workload.answered(request, unique = 77)
        assertEquals("cas k1 0 60 3 77\r\nxxx\r\n", workload.next())
        assertEquals("gets k2\r\n", workload.next())
        request.outcome = Outcome.MISS
        workload.answered(request, unique = 0)
        assertEquals("gets k3\r\n", workload.next())
    }

    @Test
    fun `a counter that is not there is added next`() {
        val workload = workload(options(Operation.INCR to 1))
        workload.next()
        request.outcome = Outcome.MISS
        workload.answered(request, unique = 0)
        assertEquals("add kn-1 0 60 7\r\n5000000\r\n", workload.next())
        assertEquals("incr kn-2 1\r\n", workload.next())
    }

    @Test
    fun `operations are as frequent as their weights say, in an order that the seed decides`() {
        fun draw(seed: Long) =
            workload(options(Operation.GET to 90, Operation.DELETE to 10, seed = seed)).let { workload ->
                List(10_000) {
                    workload.next()
                    request.operation
                }
            }
        val drawn = draw(1)
        assertEquals(1000.0, drawn.count { it == Operation.DELETE }.toDouble(), 4 * sqrt(900.0))
        assertEquals(drawn, draw(1))
        assertNotEquals(drawn, draw(2))
    }
}
