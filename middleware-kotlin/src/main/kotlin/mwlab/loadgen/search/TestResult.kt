package mwlab.loadgen.search

import mwlab.loadgen.result.RunResult

/** What a test has brought so far. */
internal class TestResult {
    /** Those that are reported. */
    val runs = ArrayList<RunResult>()

    /** Of `--find-rate`. */
    var found: FoundRate? = null

    /** Why the test ended before its time, or null. */
    var error: String? = null
}
