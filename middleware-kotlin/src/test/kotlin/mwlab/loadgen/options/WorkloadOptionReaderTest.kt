package mwlab.loadgen.options

import mwlab.loadgen.request.Operation
import mwlab.options.OptionException
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class WorkloadOptionReaderTest {
    private fun read(words: String) = readOptions(readCommandLine("-P memcache_text $words".split(' ')))

    @Test
    fun `a mix has the weights that are given`() {
        val weights = mapOf(Operation.GET to 80, Operation.CAS to 2, Operation.META_GET to 1)
        assertEquals(Mix(weights = weights), read("--mix get:80,cas:2,mg:1").mix)
    }

    @Test
    fun `the ETC workload sets sizes and, unless another is given, the ratio`() {
        val etc = read("--workload etc")
        assertEquals(Options(mix = Mix(1, 30), keys = Keys(sizesOfEtc = true), values = Values(ValueSize.Etc)), etc)
        assertEquals(Mix(1, 0), read("--workload etc --ratio 1:0").mix)
    }

    @Test
    fun `a replay and a sample are read`() {
        val options = read("--replay trace.csv --replay-speed 2.5 --sample 1/100 --sample-file s.csv")
        assertEquals(Arrivals.Replay("trace.csv", 2.5), options.pacing.arrivals)
        assertEquals(Sample(100, "s.csv"), options.output.sample)
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
            "--mix=get | mix must be expressed as [operation1:weight1],...[operationN:weightN] of " +
                "set get delete touch incr decr cas gat mg.",
            "--mix=get:0 | mix must be expressed as [operation1:weight1],...[operationN:weightN] of " +
                "set get delete touch incr decr cas gat mg.",
            "--mix=add:1 | mix must be expressed as [operation1:weight1],...[operationN:weightN] of " +
                "set get delete touch incr decr cas gat mg.",
            "--mix=get:1,get:2 | mix must name each operation only once.",
            "--mix=get:2147483647,set:1 | the weights of mix are too large.",
            "--mix=get:1 --ratio=1:1 | --mix and --ratio are mutually exclusive.",
            "--mix=set:1 --multi-key-get=2 | --multi-key-get needs a --mix with get.",
            "--mix=get:1 --client-stats=x | " +
                "--client-stats tells of sets and gets only; it cannot be combined with --mix, --queue-mix or --replay.",
            "--workload=usr | workload must be etc.",
            "--workload=etc --data-size=5 | --workload has data sizes of its own.",
            "--replay-speed=2 | --replay-speed needs --replay.",
            "--replay=x --replay-speed=0 | replay-speed must be greater than zero.",
            "--replay=x --ratio=1:1 | --replay and --ratio are mutually exclusive.",
            "--replay=x --requests=5 | --replay and --requests are mutually exclusive.",
            "--replay=x --arrivals=poisson --rate=5 | --replay and --arrivals are mutually exclusive.",
            "--replay=x --key-prefix=p | --replay and --key-prefix are mutually exclusive.",
            "--sample=1/5 | --sample and --sample-file must be given together.",
            "--sample=5 --sample-file=x | sample must be expressed as 1/[1-n].",
            "--sample=1/0 --sample-file=x | sample must be expressed as 1/[1-n].",
            "--sample=1/5 --sample-file=x --run-count=2 | --sample cannot be combined with --run-count.",
        ],
    )
    fun `a bad value is an error in memtier's manner`(words: String, message: String) {
        val error = assertFailsWith<OptionException> { read(words) }
        assertEquals(message, error.message)
    }

    @Test
    fun `a prefix that leaves no room for the keys of numbers is too long only where there are some`() {
        val prefix = "p".repeat(241)
        read("--key-prefix $prefix --mix get:1")
        assertFailsWith<OptionException> { read("--key-prefix $prefix --mix incr:1") }
    }
}
