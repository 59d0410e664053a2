package mwlab.middleware.messages

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Verb
import mwlab.testing.replay
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs

class QueueRulesTest {
    /** The requests of [text], by what they are refused with; null: not at all. */
    private fun objections(text: String, step: Int = text.length): List<String?> {
        val reader = RequestReader(maxValueBytes = 10, QueueRules.ADMIN_COMMANDS, QueueRules::objectionTo)
        return replay(text, step, Request::length, reader::next).map { (it as? Request.Refused)?.let { "${it.reply}" } }
    }

    @Test
    fun `what belongs to queues is not refused`() {
        val commands = listOf(
            "set q 0 0 1\r\nx\r\n",
            "set q/to/r/from/s 4294967295 0 0\r\n\r\n",
            "set q 1 0 1 noreply\r\nx\r\n",
            "get q q/to/r/from/s q/peek */waiting */waiting/to/r\r\n",
            "gets q\r\n",
            "add q 0 0 0\r\n\r\n",
            "delete q\r\n",
            "delete q 0 noreply\r\n",
            "version\r\n",
            "stats\r\n",
            "mn\r\n",
        )
        for (command in commands) assertEquals(listOf(null), objections(command), command)
        assertIs<Request.HangUp>(
            RequestReader(1, objection = QueueRules::objectionTo).next(mwlab.testing.bytes("quit\r\n")),
        )
    }

    @Test
    fun `what does not is refused, with its data and in few words`() {
        val key = "CLIENT_ERROR bad key: NAME[/to/RECEIVER][/from/SENDER]"
        val readKey = "$key[/peek] or */waiting[/to/RECEIVER]"
        val name = "CLIENT_ERROR bad key: add and delete take the name of a queue alone"
        val expires = "CLIENT_ERROR messages do not expire: say 0"
        val commands = mapOf(
            "set q/peek 0 0 1\r\nx\r\n" to key,
            "set */waiting 0 0 1\r\nx\r\n" to key,
            "set q//to 0 0 1\r\nx\r\n" to key,
            "set q 0 1 1\r\nx\r\n" to expires,
            "set q 0 -1 1\r\nx\r\n" to expires,
            "set q 4294967296 0 1\r\nx\r\n" to "CLIENT_ERROR bad command line format",
            "set q 0 0 1\r\nxyz" to "CLIENT_ERROR bad data chunk",
            "get q q/look\r\n" to readKey,
            "add q 0 0 1\r\nx\r\n" to "CLIENT_ERROR add makes an empty queue: send no value",
            "add q/to/r 0 0 0\r\n\r\n" to name,
            "delete q/to/r\r\n" to name,
            "delete */waiting\r\n" to name,
            "set q 0 0 11\r\n01234567890\r\n" to "SERVER_ERROR object too large for cache",
        )
        for ((command, objection) in commands) assertEquals(listOf<String?>(objection), objections(command), command)
    }

    @Test
    fun `all other commands are none of queues`() {
        val commands = mapOf(
            "replace k 0 0 1\r\nx\r\n" to Verb.REPLACE,
            "append k 0 0 1\r\nx\r\n" to Verb.APPEND,
            "cas k 0 0 1 7\r\nx\r\n" to Verb.CAS,
            "incr k 1\r\n" to Verb.INCR,
            "touch k 0\r\n" to Verb.TOUCH,
            "gat 0 k\r\n" to Verb.GAT,
            "mg k v\r\n" to Verb.MG,
            "ms k 1\r\nx\r\n" to Verb.MS,
            "flush_all\r\n" to Verb.FLUSH_ALL,
            "verbosity 1\r\n" to Verb.VERBOSITY,
            "cache_memlimit 64\r\n" to Verb.CACHE_MEMLIMIT,
            "watch\r\n" to Verb.WATCH,
            "lru_crawler metadump all\r\n" to Verb.LRU_CRAWLER,
            "stats sizes_enable\r\n" to Verb.STATS,
        )
        for ((command, verb) in commands) {
            val refusal = "CLIENT_ERROR ${verb.text} is no command of queues: set, get, add, delete"
            assertEquals(listOf<String?>(refusal), objections(command), command)
        }
    }

    @Test
    fun `a refusal leaves what follows as it is, however the bytes come`() {
        val text = "cas k 0 0 3 7\r\nabc\r\nset q 0 5 3\r\nget\r\nget q\r\nset q 0 5 3 noreply\r\nget\r\nget q\r\n"
        for (step in 1..text.length) {
            assertEquals(
                listOf(true, true, false, true, false),
                objections(text, step).map {
                    it != null
                },
                "step $step",
            )
        }
        assertEquals("null", objections("set q 0 5 3 noreply\r\nget\r\n").single())
    }
}
