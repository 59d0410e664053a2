package mwlab.json

/** How JSON is spread over lines: what stands behind each line, before it for each level, and behind the colon of a value. */
internal enum class JsonLayout(val newLine: String, val indent: String, val space: String) {
    ONE_LINE("", "", ""),

    /** memtier's: the comma stands at the start of the following line. */
    MEMTIER("\n", "\t", " "),
}

/**
 * Writes JSON piece by piece; names are null at the root and within arrays. Not thread-safe.
 *
 * Numbers that JSON cannot write (NaN, infinite) become null.
 */
internal class JsonWriter(private val out: Appendable, private val layout: JsonLayout) {
    private var depth = 0
    private var isFirst = true

    /** An object in braces, with what [body] writes. */
    fun obj(name: String? = null, body: () -> Unit) = nested(name, '{', '}', body)

    /** An array in brackets, with what [body] writes. */
    fun array(name: String? = null, body: () -> Unit) = nested(name, '[', ']', body)

    fun number(name: String?, value: Long) = raw(name, value.toString())

    fun text(name: String?, value: String?) = raw(name, literal(value))

    /** A map with string keys, a list, a string, a number, a boolean or null; anything else as its text. */
    fun value(name: String?, value: Any?) {
        when (value) {
            is Map<*, *> -> obj(name) { value.forEach { (key, one) -> value(key.toString(), one) } }
            is Iterable<*> -> array(name) { value.forEach { value(null, it) } }
            is Double -> raw(name, if (value.isFinite()) value.toString() else "null")
            is Number, is Boolean -> raw(name, value.toString())
            else -> text(name, value?.toString())
        }
    }

    /** A value that is JSON already. */
    fun raw(name: String?, json: String) {
        separate()
        if (name != null) out.append(quoted(name)).append(':').append(layout.space)
        out.append(json).append(layout.newLine)
    }

    private fun nested(name: String?, open: Char, close: Char, body: () -> Unit) {
        separate()
        if (name != null) out.append(quoted(name)).append(':')
        out.append(open).append(layout.newLine)
        depth++
        isFirst = true
        body()
        indent()
        out.append(close).append(layout.newLine)
        depth--
        isFirst = false
    }

    private fun separate() {
        indent()
        if (!isFirst) out.append(',')
        isFirst = false
    }

    private fun indent() = repeat(depth) { out.append(layout.indent) }
}
