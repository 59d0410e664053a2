package mwlab.json

import kotlin.test.Test
import kotlin.test.assertEquals

class JsonTest {
    @Test
    fun `values become JSON`() {
        val value = mapOf(
            "text" to "a\"b\\\n",
            "list" to listOf(1, 2.5, true, null),
            "nan" to Double.NaN,
            "map" to emptyMap<String, Any>(),
        )
        assertEquals("""{"text":"a\"b\\\u000a","list":[1,2.5,true,null],"nan":null,"map":{}}""", json(value))
    }

    @Test
    fun `texts are escaped, and may be missing`() {
        assertEquals("""null""", literal(null))
        assertEquals(""""a\"b\\c\u0009"""", literal("a\"b\\c\t"))
    }
}
