package mwlab.options

import mwlab.loadgen.options.readCommandLine
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

/** With the generator's options. */
class GetoptReaderTest {
    @ParameterizedTest
    @CsvSource("--threads=3", "--threads 3", "-t 3", "-t3", "-DRt3", "--threads=5 -t 3")
    fun `a value is read in every form that getopt_long knows`(words: String) {
        assertEquals("3", readCommandLine(words.split(' '))["threads"])
    }

    @Test
    fun `a long name may be shortened as long as it is unique`() {
        assertEquals("50:1", readCommandLine(listOf("--data-size-l", "50:1"))["data-size-list"])
    }

    @Test
    fun `joined flags are all set`() {
        val line = readCommandLine(listOf("-DR"))
        assertTrue("debug" in line && "random-data" in line)
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
            "--bogus | unrecognized option '--bogus'.",
            "-Q | invalid option -- 'Q'.",
            "--key-m | option '--key-m' is ambiguous: '--key-minimum' '--key-maximum' '--key-median'.",
            "--threads | option '--threads' requires an argument.",
            "-t | option '-t' requires an argument.",
            "--randomize=1 | option '--randomize' doesn't allow an argument.",
            "stray | unexpected argument 'stray'.",
            "--cluster-mode | --cluster-mode is for Redis only.",
            "--tls | --tls is not supported by this generator.",
            "--clients-start=5 | --clients-start is not supported by this generator.",
            "-a secret | -a can only be used with redis or memcache_binary.",
        ],
    )
    fun `what cannot be understood or done is an error`(words: String, message: String) {
        val error = assertFailsWith<OptionException> { readCommandLine(words.split(' ')) }
        assertEquals(message, error.message)
    }
}
