package mwlab.prove.fuzz.connections

import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Response
import mwlab.memcached.Verb
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.SelectionKey
import java.nio.channels.Selector
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel

/** What a selection key of the stage is attached to. */
internal fun interface Part {
    fun move()
}

/** A server without a memory that answers as a script says, and what the script does not say, as memcached would. */
internal class ScriptedServer(private val selector: Selector, private val victim: String) : Part {
    private val listener = ServerSocketChannel.open().bind(InetSocketAddress("127.0.0.1", 0)).apply {
        configureBlocking(false)
        register(selector, SelectionKey.OP_ACCEPT, this@ScriptedServer)
    }
    private val unused = ArrayDeque<ByteArray>()

    val address = listener.localAddress as InetSocketAddress

    /** What it was asked since [begin], other than for the victim's key. */
    val asked = mutableListOf<Asked>()

    fun begin(answers: List<ByteArray>) {
        asked.clear()
        unused.clear()
        unused += answers
    }

    override fun move() {
        while (true) Link(listener.accept() ?: return)
    }

    private inner class Link(private val channel: SocketChannel) : Part {
        private val reader = RequestReader(MAX_VALUE_BYTES)
        private val input = ByteBuffer.allocate(READ_BYTES)
        private var isSilent = false

        init {
            channel.configureBlocking(false)
            channel.register(selector, SelectionKey.OP_READ, this)
        }

        override fun move() {
            try {
                if (channel.read(input) < 0) return channel.close()
                input.flip()
                while (channel.isOpen) {
                    val request = reader.next(input) ?: break
                    answer(request)
                    input.position(input.position() + request.length)
                }
                input.compact()
            } catch (_: IOException) {
                channel.close()
            }
        }

        private fun answer(request: Request) {
            val words = wordsOf(input.array(), input.position())
            val isVictims = words.getOrNull(1) == victim
            val script = if (isVictims || request is Request.NoOperation) null else unused.removeFirstOrNull()
            if (script?.contentEquals(CLOSE) == true) return channel.close()
            if (isSilent) return
            val answer =
                script?.takeIf { it.isNotEmpty() }?.let { scripted(it, request) } ?: latin1(right(request, words))
            if (!isVictims) asked += Asked(words, answer)
            channel.write(ByteBuffer.wrap(answer))
        }

        /**
         * The first reply of [script], since a second one would go to whoever asks next; null if it would be taken for the `MN` that
         * follows. Behind what is no whole reply, the server is silent.
         */
        private fun scripted(script: ByteArray, request: Request): ByteArray? {
            val reply = firstReply(script)
            isSilent = reply == null
            return when {
                reply == null -> script
                request.isQuiet && reply is Response.Meta && reply.code == MetaCode.MN -> null
                else -> script.copyOf(reply.length)
            }
        }

        private fun right(request: Request, words: List<String>): String = when (request) {
            is Request.Retrieval -> when {
                request.isQuiet -> ""
                request.verb.isMeta -> "EN\r\n"
                words[1] == victim -> "VALUE $victim 0 1\r\n1\r\nEND\r\n"
                else -> "END\r\n"
            }

            is Request.Update -> if (request.isQuiet) "" else right(request.verb)

            is Request.Inquiry -> if (request.verb == Verb.VERSION) "VERSION 1.6.18\r\n" else "END\r\n"

            is Request.NoOperation -> "MN\r\n"

            is Request.Refused, is Request.HangUp -> "ERROR\r\n"
        }

        private fun right(verb: Verb): String = when (verb) {
            Verb.MS, Verb.MD, Verb.MA -> "HD\r\n"
            Verb.INCR, Verb.DECR -> "17\r\n"
            Verb.TOUCH -> "TOUCHED\r\n"
            Verb.DELETE -> "DELETED\r\n"
            Verb.FLUSH_ALL, Verb.VERBOSITY -> "OK\r\n"
            else -> "STORED\r\n"
        }
    }

    companion object {
        const val MAX_VALUE_BYTES = 100
        private const val READ_BYTES = 4096
        private val CLOSE = latin1("!")
    }
}

/** One byte for each character. */
internal fun latin1(text: String): ByteArray = text.toByteArray(Charsets.ISO_8859_1)
