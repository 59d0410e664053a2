package mwlab.loadgen.report

import mwlab.loadgen.measure.fixed

/** Writes JSON in memtier's layout: tabs, and commas at the start of the following line. Not thread-safe. */
internal class JsonWriter(private val out: Appendable) {
    private var depth = 0
    private var isFirst = true

    /** An object in braces: the root if [name] is null and nothing is open, an element if an array is. */
    fun obj(name: String? = null, body: () -> Unit) = nested(name, '{', '}', body)

    /** An array of objects in brackets. */
    fun array(name: String, body: () -> Unit) = nested(name, '[', ']', body)

    fun number(name: String, value: Long) = raw(name, value.toString())

    fun number(name: String, value: Double, decimals: Int) =
        raw(name, if (value.isFinite()) value.fixed(decimals) else "null")

    fun text(name: String, value: String?) = raw(name, literal(value))

    /** memtier writes booleans as text. */
    fun flag(name: String, value: Boolean) = raw(name, quoted(value.toString()))

    /** A value that is JSON already. */
    fun raw(name: String, json: String) {
        separate()
        out.append(quoted(name)).append(": ").append(json).append('\n')
    }

    private fun nested(name: String?, open: Char, close: Char, body: () -> Unit) {
        if (depth > 0) separate()
        if (name != null) out.append(quoted(name)).append(':')
        out.append(open).append('\n')
        depth++
        isFirst = true
        body()
        out.append("\t".repeat(depth)).append(close).append('\n')
        depth--
        isFirst = false
    }

    private fun separate() {
        out.append("\t".repeat(depth))
        if (!isFirst) out.append(',')
        isFirst = false
    }

    companion object {
        /** A text in quotes, or null. */
        fun literal(text: String?): String = if (text == null) "null" else quoted(text)

        private fun quoted(text: String): String = buildString {
            append('"')
            for (character in text) {
                when {
                    character == '"' || character == '\\' -> append('\\').append(character)
                    character < ' ' -> append("\\u%04x".format(character.code))
                    else -> append(character)
                }
            }
            append('"')
        }
    }
}
