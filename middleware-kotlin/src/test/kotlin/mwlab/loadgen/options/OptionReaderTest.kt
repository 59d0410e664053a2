package mwlab.loadgen.options

import mwlab.options.OptionException
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.time.Duration.Companion.milliseconds

class OptionReaderTest {
    private fun read(words: String) = readOptions(readCommandLine("-P memcache_text $words".trim().split(' ')))

    @Test
    fun `without options memtier's defaults hold`() {
        assertEquals(Options(), read(""))
    }

    @Test
    fun `the command line of the studies is understood`() {
        val options = read(
            "--server=10.0.0.5 --port=11211 --threads=2 --clients=32 --test-time=60 --ratio=0:1 --data-size=4096 " +
                "--key-maximum=10000 --expiry-range=9999-10000 --multi-key-get=6 --distinct-client-seed --randomize",
        )
        assertEquals(Target("10.0.0.5", 11211), options.target)
        assertEquals(Load(threads = 2, clients = 32, requests = 0, testTimeS = 60), options.load)
        assertEquals(Mix(sets = 0, gets = 1, multiKeyGet = 6), options.mix)
        assertEquals(Values(ValueSize.Fixed(4096), expiryS = 9999L..10_000L), options.values)
        assertEquals(Keys(maximum = 10_000, distinctClientSeed = true, randomize = true), options.keys)
    }

    @Test
    fun `think times, open loops and a start that is told are read`() {
        assertEquals(Pacing(thinkTime = 2.5.milliseconds), read("--think-time 2.5").pacing)
        assertEquals(Pacing(openRatePerS = 800.5), read("--arrivals poisson --rate 800.5").pacing)
        assertEquals(Pacing(startIsTold = true), read("--start-at=-").pacing)
    }

    @ParameterizedTest
    @CsvSource(
        delimiterString = " | ",
        value = [
            "--port=0 | port must be a number in the range [1-65535].",
            "--port=65536 | port must be a number in the range [1-65535].",
            "--clients=0 | clients must be greater than zero.",
            "--threads=x | threads must be greater than zero.",
            "--test-time=0 | test time must be greater than zero.",
            "--requests=0 | requests must be greater than zero.",
            "--requests=5 --test-time=5 | --test-time and --requests are mutually exclusive.",
            "--run-count=0 | run count must be greater than zero.",
            "--ratio=1 | ratio must be expressed as [0-n]:[0-n].",
            "--ratio=0:0 | ratio must be expressed as [0-n]:[0-n], not both zero.",
            "--ratio=1:0 --multi-key-get=2 | --multi-key-get needs a --ratio with gets.",
            "--pipeline=0 | pipeline must be greater than zero.",
            "--data-size=0 | data-size must be greater than zero.",
            "-d 5 --data-size-range=1-2 | data-size, data-size-range and data-size-list are mutually exclusive.",
            "--data-size-range=2-1 | data-size-range must be expressed as [1-n]-[1-n].",
            "--data-size-list=5 | data-size-list must be expressed as [size1:weight1],...[sizeN:weightN].",
            "--data-size-pattern=S | data-size-pattern S needs data-size-range.",
            "--expiry-range=5 | expiry-range must be expressed as [0-n]-[1-n].",
            "--key-minimum=0 | key-minimum must be greater than zero.",
            "--key-minimum=9 --key-maximum=8 | key-minimum must not be greater than key-maximum.",
            "--key-pattern=RR | key-pattern must be in the format of [S/R/G/P/Z]:[S/R/G/P/Z].",
            "--key-pattern=P:R | parallel key-pattern must be configured for both SET and GET commands.",
            "--key-zipf-exp=5 | key-zipf-exp must be within interval (0, 5).",
            "--key-stddev=5 | key-stddev and key-median are only allowed together with key-pattern set to G.",
            "--print-percentiles=101 | quantiles must be expressed as [0.0-100.0],[0.0-100.0](,...) .",
            "--think-time=5 --pipeline=2 | --think-time cannot be combined with --pipeline or --rate-limiting.",
            "-t 1 -c 9 --key-maximum=7 --key-pattern=P:P | " +
                "a parallel key-pattern needs at least one key for each of the 9 connections.",
            "--rate=5 | --arrivals and --rate must be given together.",
            "--arrivals=fixed --rate=5 | arrivals must be poisson.",
            "--think-time=0 | think-time must be greater than zero.",
            "--start-at=1000 | start-at must be -: standard input tells the time.",
            "--arrivals=poisson --rate=0 | rate must be greater than zero.",
            "--arrivals=poisson --rate=5 --think-time=5 | --think-time is for closed loops, --arrivals for open ones.",
            "--rate-limiting=0 | rate must be greater than zero.",
            "--rate-limiting=5 --arrivals=poisson --rate=5 | --rate-limiting is for closed loops; --arrivals has --rate.",
        ],
    )
    fun `a bad value is an error in memtier's words`(words: String, message: String) {
        val error = assertFailsWith<OptionException> { read(words) }
        assertEquals(message, error.message)
    }

    @Test
    fun `memtier's default protocol is refused with a remedy`() {
        val error = assertFailsWith<OptionException> { readOptions(readCommandLine(emptyList())) }
        assertEquals("protocol 'redis' is not supported; give --protocol=memcache_text.", error.message)
    }
}
