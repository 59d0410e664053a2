package mwlab.loadgen.options

import mwlab.options.OptionException
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class WorkloadOptionReaderTest {
    private fun read(words: String) = readOptions(readCommandLine("-P memcache_text $words".split(' ')))

    @Test
    fun `a sample is read`() {
        assertEquals(Sample(100, "s.csv"), read("--sample 1/100 --sample-file s.csv").output.sample)
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
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
}
