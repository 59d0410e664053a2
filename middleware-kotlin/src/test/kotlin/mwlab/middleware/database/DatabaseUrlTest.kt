package mwlab.middleware.database

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull

class DatabaseUrlTest {
    @Test
    fun `what is left out has its usual value`() {
        val url = DatabaseUrl.parse("postgresql://lab@db/queues")!!
        assertEquals("db:5432/queues", url.name)
        assertEquals("lab", url.user)
        assertEquals(System.getenv("PGPASSWORD"), url.password)
        assertEquals("prefer", url.sslMode)
    }

    @Test
    fun `all of it is read, and the password is told nowhere`() {
        val url = DatabaseUrl.parse("postgres://l%40b:p%2Fw+x%3A@[::1]:6000/my%20queues?sslmode=require")!!
        assertEquals(
            listOf("l@b", "p/w+x:", "[::1]", "my queues", "require"),
            with(url) {
                listOf(user, password, host, database, sslMode)
            },
        )
        assertEquals("[::1]:6000/my queues", "$url")
    }

    @Test
    fun `what is no such URL is told apart`() {
        val wrong = listOf(
            "", "db", "mysql://u@h/d", "postgresql://h/d", "postgresql://u@h", "postgresql://u@h/", "postgresql://u@/d",
            "postgresql://u@h:x/d", "postgresql://u@h:0/d", "postgresql://u@h:70000/d", "postgresql://u@h/d?x=1",
            "postgresql://u@h/d?sslmode=maybe", "postgresql://u@h/d/e", "postgresql://u%zz@h/d",
        )
        for (text in wrong) assertNull(DatabaseUrl.parse(text), text)
    }
}
