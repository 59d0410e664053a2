package mwlab.metrics.results

/**
 * The JSON text of maps with string keys, lists, strings, numbers, booleans and null.
 *
 * Numbers that JSON cannot write (NaN, infinite) become null.
 */
internal fun json(value: Any?): String = when (value) {
    null -> "null"
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { "${json(it.key.toString())}:${json(it.value)}" }
    is Iterable<*> -> value.joinToString(",", "[", "]") { json(it) }
    is Double -> if (value.isFinite()) value.toString() else "null"
    is Number, is Boolean -> value.toString()
    else -> quoted(value.toString())
}

private fun quoted(text: String): String = text.map { char ->
    when {
        char == '"' || char == '\\' -> "\\$char"
        char < ' ' -> "\\u%04x".format(char.code)
        else -> char.toString()
    }
}.joinToString("", "\"", "\"")
