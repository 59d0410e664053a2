package mwlab.memcached

/** Bytes that no memcached server sends: the connection they came from cannot be trusted any more. */
class ProtocolException(message: String) : Exception(message)
