package mwlab.middleware.reply

import kotlin.test.Test
import kotlin.test.assertEquals

class ServerStatisticsTest {
    private fun merge(group: String, vararg answers: List<String>) =
        ServerStatistics.merge(group, answers.mapIndexed { index, lines -> "s$index" to lines })

    @Test
    fun `one server's answer stays as it is`() {
        val lines = listOf("STAT pid 7", "STAT cmd_get 1", "STAT odd")
        assertEquals(lines, merge("", lines))
    }

    @Test
    fun `counters are added up, decimals and large ones too`() {
        assertEquals(
            listOf("STAT cmd_get 3", "STAT rusage_user 1.750001", "STAT bytes 18446744073709551620"),
            merge(
                "",
                listOf("STAT cmd_get 1", "STAT rusage_user 0.250000", "STAT bytes 18446744073709551615"),
                listOf("STAT cmd_get 2", "STAT rusage_user 1.500001", "STAT bytes 5"),
            ),
        )
    }

    @Test
    fun `facts are told once, or one after the other where they differ`() = assertEquals(
        listOf("STAT pid 7,8", "STAT version 1.6.18", "STAT libevent a,b"),
        merge(
            "",
            listOf("STAT pid 7", "STAT version 1.6.18", "STAT libevent a"),
            listOf("STAT pid 8", "STAT version 1.6.18", "STAT libevent b"),
        ),
    )

    @Test
    fun `of moments and switches the one that matters is told`() = assertEquals(
        listOf(
            "STAT uptime 5",
            "STAT time 101",
            "STAT accepting_conns 0",
            "STAT items:1:age 9",
            "STAT items:1:number 3",
        ),
        merge(
            "",
            listOf(
                "STAT uptime 10",
                "STAT time 100",
                "STAT accepting_conns 1",
                "STAT items:1:age 9",
                "STAT items:1:number 1",
            ),
            listOf(
                "STAT uptime 5",
                "STAT time 101",
                "STAT accepting_conns 0",
                "STAT items:1:age 4",
                "STAT items:1:number 2",
            ),
        ),
    )

    @Test
    fun `settings are no counters, and connections belong to their server`() {
        val setting = listOf("STAT maxbytes 64", "STAT evictions on")
        assertEquals(setting, merge("settings", setting, setting))
        assertEquals(
            listOf("STAT s0:26:state conn_read", "STAT s1:26:state conn_read"),
            merge("conns", listOf("STAT 26:state conn_read"), listOf("STAT 26:state conn_read")),
        )
    }

    @Test
    fun `what only some servers say is kept, and so are lines of another kind`() = assertEquals(
        listOf("STAT 1:used_chunks 4", "STAT 2:used_chunks 1", "ITEM a [1 b; 0 s]", "ITEM b [1 b; 0 s]"),
        merge(
            "slabs",
            listOf("STAT 1:used_chunks 4", "ITEM a [1 b; 0 s]"),
            listOf("STAT 2:used_chunks 1", "ITEM b [1 b; 0 s]"),
            emptyList(),
        ),
    )
}
