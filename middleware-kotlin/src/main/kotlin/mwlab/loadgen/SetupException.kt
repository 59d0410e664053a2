package mwlab.loadgen

/** The test cannot start, as when the server is not there; [message] says why. */
class SetupException(message: String, cause: Throwable? = null) : Exception(message, cause)
