package mwlab.memcached

import mwlab.testing.bytes
import mwlab.testing.replay
import java.nio.ByteBuffer
import java.util.Base64
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertNull
import kotlin.test.assertTrue

class RequestReaderTest {
    private fun read(text: String): Request = RequestReader(1 shl 20).next(bytes(text))!!

    private fun keysOf(text: String, keys: Keys): List<String> =
        (0 until keys.count).map { text.substring(keys.start(it), keys.end(it)) }

    private fun refusal(text: String): String? = assertIs<Request.Refused>(read(text), text).reply

    @Test
    fun `a get holds its keys in order`() {
        val text = "get a  bb ccc\r\n"
        val request = assertIs<Request.Retrieval>(read(text))
        assertEquals(Verb.GET, request.verb)
        assertEquals(listOf("a", "bb", "ccc"), keysOf(text, request.keys))
        assertEquals(text.length, request.length)
    }

    @Test
    fun `a gat's time is not a key`() {
        val text = "gat 100 a b\r\n"
        val request = assertIs<Request.Retrieval>(read(text))
        assertEquals(listOf("a", "b"), keysOf(text, request.keys))
    }

    @Test
    fun `a get of a thousand keys is read`() {
        val text = "get ${(1..1000).joinToString(" ") { "key-$it" }}\n"
        assertEquals(1000, assertIs<Request.Retrieval>(read(text)).keys.count)
    }

    @Test
    fun `a set split across packets is complete with its last byte`() {
        val reader = RequestReader(100)
        val text = "set k 1 2 3\r\nabc\r\n"
        for (length in 0 until text.length) assertNull(reader.next(bytes(text.substring(0, length))))
        val request = assertIs<Request.Update>(reader.next(bytes(text)))
        assertEquals(listOf(text.length, 13), listOf(request.length, request.lineLength))
        assertEquals(listOf("k"), keysOf(text, request.keys))
    }

    @Test
    fun `what is sent on ends before noreply`() {
        for (line in listOf("set k 0 0 1 noreply", "incr k 1 noreply", "delete k noreply", "flush_all noreply")) {
            val request = assertIs<Request.Update>(read("$line\r\nx\r\n"))
            assertTrue(request.noreply)
            assertEquals(line.removeSuffix(" noreply"), line.substring(0, request.replyEnd))
        }
    }

    @Test
    fun `a key named noreply and a meta command are left alone`() {
        assertEquals(false, assertIs<Request.Update>(read("md k noreply\r\n")).noreply)
        assertEquals(1, assertIs<Request.Retrieval>(read("get noreply\r\n")).keys.count)
        assertEquals(false, assertIs<Request.Update>(read("delete noreply\r\n")).noreply)
    }

    @Test
    fun `every command is recognised`() {
        for (line in listOf("get k", "gets k", "gat 1 k", "gats 1 k", "bget k", "mg k v", "me k")) {
            assertIs<Request.Retrieval>(read("$line\r\n"), line)
        }
        for (verb in listOf(
            "set",
            "add",
            "replace",
            "append",
            "prepend",
        )) {
            assertIs<Request.Update>(read("$verb k 0 0 1\r\nx\r\n"))
        }
        for (line in listOf(
            "incr k 1",
            "decr k 1",
            "touch k 1",
            "delete k",
            "md k",
            "ma k",
            "flush_all",
            "verbosity 1",
        )) {
            assertIs<Request.Update>(read("$line\r\n"), line)
        }
        for (line in listOf("cas k 0 0 1 5", "ms k 1")) assertIs<Request.Update>(read("$line\r\nx\r\n"))
        for (line in listOf("stats", "stats items", "version")) assertIs<Request.Inquiry>(read("$line\r\n"))
        assertIs<Request.NoOperation>(read("mn\r\n"))
        assertIs<Request.HangUp>(read("quit\r\n"))
    }

    @Test
    fun `what is no command is an error`() {
        val lines = """
            |
            |x
            |hello
            |GET k
            |watching
            |gets\tk
            |get
            |gats
            |set k 0 0
            |set k 0 0 1 2 3
            |cas k 0 0 1
            |incr k
            |delete
            |mg
            |ma
            |verbosity
            |verbosity 1 2 3
            |flush_all 1 2 3
        """.trimMargin().lines()
        for (line in lines) assertEquals("ERROR", refusal("$line\r\n"), line)
    }

    @Test
    fun `long keys and bad numbers are the client's error`() {
        val long = "k".repeat(251)
        val lines = """
            |get $long
            |get a $long
            |mg $long
            |incr $long 1
            |set $long 0 0 1
            |ms $long 1
            |set k x 0 1
            |set k -1 0 1
            |set k 18446744073709551616 0 1
            |set k 0 x 1
            |set k 0 9223372036854775808 1
            |set k 0 0 x
            |set k 0 0 1x
            |set k 0 0 -1
            |set k 0 0 2147483647
            |cas k 0 0 1 x
            |ms k
            |ms k x
            |me
        """.trimMargin().lines()
        for (line in lines) assertEquals("CLIENT_ERROR bad command line format", refusal("$line\r\n"), line)
    }

    @Test
    fun `numbers are read as C reads them`() {
        val largest = "18446744073709551615"
        for (line in listOf(
            "set k +1 -5 1",
            "set k 4294967296 0 +1",
            "set k 0 2147483648 1",
            "set k 0 0 4294967297",
            "set k 0 0 1\tx",
            "set k -0 0 1",
            "cas k 0 0 1 $largest",
        )) {
            assertEquals(line.length + 5, read("$line\r\nx\r\n").length, line)
        }
    }

    @Test
    fun `the data of an ms with too many flags are taken for a command, as memcached takes them`() {
        val most = "ms a 2" + " O1".repeat(16)
        assertEquals(most.length + 6, assertIs<Request.Update>(read("$most\r\nxy\r\n")).length)
        val refused = assertIs<Request.Refused>(read("$most q\r\nxy\r\n"))
        assertEquals("CLIENT_ERROR options flags too long", refused.reply)
        assertEquals("$most q\r\n".length, refused.length)
    }

    @Test
    fun `a key of several lines is refused by all meta commands, also if its base64 is sloppy`() {
        val refusal = "CLIENT_ERROR a key with a line feed is not passed on"
        // "x\r\nVA 1\r\n", "a\nb" with a character that means nothing, "\n" with padding.
        for (key in listOf("eA0KVkEgMQ0K", "YQ!pi", "Cg==")) {
            for (line in listOf("mg $key v k b N30", "mg $key b", "me $key b", "md $key q b", "ma $key N0 bx")) {
                assertEquals(refusal, refusal("$line\r\n"))
            }
            val reader = RequestReader(100)
            val requests = replay("ms $key 4 MA b\r\nmn\r\n\r\nmg YQ== b\r\n", 7, Request::length, reader::next)
            assertEquals(refusal, assertIs<Request.Refused>(requests[0]).reply)
            assertIs<Request.Retrieval>(requests[1])
            assertEquals(2, requests.size)
        }
    }

    @Test
    fun `other keys in base64 are left to the server, also wrong ones`() {
        for (key in listOf("YQ==", "YQ0=", "AA==", "Cg", "YQ==YQpi", "====", "!")) {
            assertTrue(assertIs<Request.Retrieval>(read("mg $key b k\r\n"), key).keys.areBase64)
        }
        assertFalse(assertIs<Request.Retrieval>(read("mg eA0KVkEgMQ0K k v\r\n")).keys.areBase64)
    }

    @Test
    fun `a line feed is found in base64 wherever it stands`() {
        val random = Random(5)
        repeat(5000) {
            val key = random.nextBytes(random.nextInt(1, 20))
            val text = String(Base64.getEncoder().encode(key), Charsets.ISO_8859_1)
            val isRefused = read("mg $text b\r\n") is Request.Refused
            assertEquals(LF in key, isRefused, text)
        }
    }

    @Test
    fun `a refused command that wants no reply gets none`() {
        assertNull(refusal("set k 0 0 x noreply\r\n"))
        assertNull(refusal("incr ${"k".repeat(251)} 1 noreply\r\n"))
    }

    @Test
    fun `a value that is too large to be added is refused without a server`() {
        val refused = RequestReader(maxValueBytes = 10).next(bytes("add k 0 0 11\r\n"))
        assertEquals("SERVER_ERROR object too large for cache", assertIs<Request.Refused>(refused).reply)
        val silently = RequestReader(maxValueBytes = 10).next(bytes("add k 0 0 11 noreply\r\n"))
        assertNull(assertIs<Request.Refused>(silently).reply)
    }

    @Test
    fun `a value that finds no room is skipped`() {
        val reader = RequestReader(maxValueBytes = 10)
        val text = "set k 0 0 10\r\n0123456789\r\nget a\r\n"
        val buffer = bytes(text).limit(20)
        assertNull(reader.next(buffer))
        val refused = assertIs<Request.Update>(reader.refuseData(buffer))
        assertEquals("SERVER_ERROR out of memory storing object", refused.refusal)
        buffer.position(20)
        assertIs<Request.Retrieval>(reader.next(buffer.limit(text.length)))
        assertNull(reader.refuseData(buffer))
    }

    @Test
    fun `a line of very many keys comes in parts that name all of them`() {
        for (count in listOf(1024, 1025, 2048, 2500)) {
            val keys = List(count) { "k$it" }
            val buffer = bytes("gat 10  ${keys.joinToString("  ")} \u0000 lost\r\nget a\r\n")
            val reader = RequestReader(10)
            val found = mutableListOf<String>()
            do {
                val part = assertIs<Request.Retrieval>(reader.next(buffer))
                assertTrue(part.keys.count in 1..1024)
                assertEquals("gat 10  ".length, part.keys.startOfAll)
                found += List(part.keys.count) { text(buffer, part.keys.start(it), part.keys.end(it)) }
                buffer.position(buffer.position() + part.length)
            } while (part.continues)
            assertEquals(keys, found)
            assertEquals(1, assertIs<Request.Retrieval>(reader.next(buffer)).keys.count)
        }
    }

    @Test
    fun `a value that is too large is refused and skipped`() {
        val text = "set k 0 0 11\r\n01234567890\r\nget a\r\nset k 0 0 10\r\n0123456789\r\n"
        for (step in 1..text.length) {
            val reader = RequestReader(maxValueBytes = 10)
            val requests = replay(text, step, Request::length, reader::next)
            assertEquals("SERVER_ERROR object too large for cache", assertIs<Request.Update>(requests[0]).refusal)
            assertIs<Request.Retrieval>(requests[1])
            assertIs<Request.Update>(requests[2])
            assertEquals(3, requests.size)
        }
    }

    @Test
    fun `memcached hangs up on lines without end and on browsers, but not on long gets`() {
        assertIs<Request.HangUp>(read("x".repeat(2049)))
        assertIs<Request.HangUp>(read("set " + "x".repeat(2049)))
        assertNull(RequestReader(10).next(bytes("get " + "x ".repeat(4000))))
        assertNull(RequestReader(10).next(bytes("x".repeat(2048))))
        assertIs<Request.HangUp>(read("get " + "x".repeat(1 shl 20)))
        assertIs<Request.HangUp>(read("POST / HTTP/1.1\r\n"))
        assertEquals("ERROR", refusal("delete-it HTTP/1.1\r\n"))
    }

    @Test
    fun `a client of the binary protocol is hung up on at its first byte`() {
        assertIs<Request.HangUp>(read("\u0080"))
        val reader = RequestReader(100)
        assertIs<Request.Retrieval>(reader.next(bytes("get k\r\n")))
        assertIs<Request.Refused>(reader.next(bytes("\u0080\r\n")))
    }

    @Test
    fun `a zero byte ends a line as it ends a C string`() {
        assertEquals(1, assertIs<Request.Retrieval>(read("get a\u0000 b c\r\n")).keys.count)
    }

    @Test
    fun `requests are the same however the bytes are cut`() {
        val text = "get a b\r\nset k 0 0 7\r\nget\r\n\r\n\r\nset k 0 0 0 noreply\r\n\r\n" +
            "nonsense\r\nmg k v\nstats\r\nmn\r\nquit\r\n"

        fun found(step: Int): List<String> {
            val reader = RequestReader(1000)
            return replay(text, step, Request::length, reader::next).map { "${it::class.simpleName} ${it.length}" }
        }
        val whole = found(text.length)
        assertEquals(8, whole.size)
        for (step in 1..30) assertEquals(whole, found(step), "$step bytes at a time")
    }

    @Test
    fun `any bytes are read without failing`() {
        val random = Random(1)
        repeat(2000) {
            val reader = RequestReader(50)
            val bytes = random.nextBytes(300)
            for (index in bytes.indices step 17) bytes[index] = '\n'.code.toByte()
            val junk = ByteBuffer.wrap(bytes)
            while (true) {
                val request = reader.next(junk) ?: break
                junk.position(junk.position() + request.length)
            }
        }
    }
}
