package mwlab.loadgen.result

/** The results of a test so far. */
internal class TestResult {
    val runs = ArrayList<RunResult>()

    /** Why the test ended before its time, or null. */
    var error: String? = null
}
