package mwlab.loadgen.options

import mwlab.loadgen.request.Operation
import mwlab.options.OptionException
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class QueueOptionReaderTest {
    private fun read(words: String) = readOptions(readCommandLine("-P memcache_text $words".split(' ')))

    @Test
    fun `a mix of messages has its weights, queues and receivers`() {
        val weights = mapOf(Operation.SEND to 40, Operation.POP to 40, Operation.PEEK to 10, Operation.LIST to 10)
        val words = "--queue-mix=send:40,pop:40,peek:10,list:10 --queues=4 --receivers=3"
        assertEquals(Mix(weights = weights, queues = Queues(4, 3)), read(words).mix)
        assertEquals(Mix(weights = mapOf(Operation.POP to 1), queues = Queues(1, 0)), read("--queue-mix=pop:1").mix)
    }

    @Test
    fun `a mix of messages goes with sizes, think times, rates and arrivals`() {
        assertEquals(ValueSize.Range(200..2000), read("--queue-mix=send:1 --data-size-range=200-2000").values.size)
        assertEquals(33.3, read("--queue-mix=send:1 --rate-limiting=33.3").pacing.rateLimitPerS)
        read("--queue-mix=send:1 --think-time=5")
        read("--queue-mix=send:1 --arrivals=poisson --rate=50 --follow=1/9 --follow-file-prefix=x")
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
            "--queue-mix=send | queue-mix must be expressed as [operation1:weight1],...[operationN:weightN] of " +
                "send pop peek list.",
            "--queue-mix=set:1 | queue-mix must be expressed as [operation1:weight1],...[operationN:weightN] of " +
                "send pop peek list.",
            "--queue-mix=pop:1,pop:2 | queue-mix must name each operation only once.",
            "--queue-mix=pop:2147483647,list:1 | the weights of queue-mix are too large.",
            "--queues=2 | --queues needs --queue-mix.",
            "--receivers=2 | --receivers needs --queue-mix.",
            "--queue-mix=pop:1 --queues=0 | queues must be greater than zero.",
            "--queue-mix=pop:1 --receivers=-1 | receivers must be a valid number.",
            "--queue-mix=pop:1 --ratio=1:1 | --queue-mix and --ratio are mutually exclusive.",
            "--queue-mix=pop:1 --multi-key-get=2 | --queue-mix and --multi-key-get are mutually exclusive.",
            "--queue-mix=pop:1 --key-maximum=5 | --queue-mix and --key-maximum are mutually exclusive.",
            "--queue-mix=pop:1 --key-pattern=S:S | --queue-mix and --key-pattern are mutually exclusive.",
            "--queue-mix=pop:1 --expiry-range=1-2 | --queue-mix and --expiry-range are mutually exclusive.",
            "--queue-mix=pop:1 --requests=allkeys | --requests=allkeys goes through keys, and --queue-mix has none.",
            "--queue-mix=pop:1 --client-stats=x | " +
                "--client-stats tells of sets and gets only; it cannot be combined with --queue-mix.",
            "--queue-mix=pop:1 --key-prefix=a/b | " +
                "key-prefix must not hold a slash: with --queue-mix it begins the names of queues.",
        ],
    )
    fun `what does not go together is an error that says so`(words: String, message: String) {
        val error = assertFailsWith<OptionException> { read(words) }
        assertEquals(message, error.message)
    }

    @Test
    fun `a prefix that leaves no room for receiver and peek is too long`() {
        // 15 bytes stand behind it: 10/to/r100/peek.
        val words = "--queue-mix=peek:1 --queues=10 --receivers=100 --key-prefix="
        read(words + "q".repeat(235))
        assertFailsWith<OptionException> { read(words + "q".repeat(236)) }
    }
}
