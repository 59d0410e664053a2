package mwlab.json

/** The JSON text, in one line, of maps with string keys, lists, strings, numbers, booleans and null. */
internal fun json(value: Any?): String = buildString { JsonWriter(this, JsonLayout.ONE_LINE).value(null, value) }

/** A text in quotes, or null. */
internal fun literal(text: String?): String = if (text == null) "null" else quoted(text)

internal fun quoted(text: String): String = buildString(text.length + 2) {
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
