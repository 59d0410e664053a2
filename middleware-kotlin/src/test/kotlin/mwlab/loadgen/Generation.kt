package mwlab.loadgen

import mwlab.testing.FakeMemcached
import java.io.BufferedReader
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream

/** One call of the generator in this process, and all that came out of it. */
internal class Generation(val status: Int, val out: String, val err: String, val json: String) {
    /** The first number of that name behind the given words, one after the other. */
    fun number(vararg path: String): Double {
        val rest = path.dropLast(1).fold(json) { text, word -> text.substringAfter("\"$word\":") }
        return rest.substringAfter("\"${path.last()}\": ").substringBefore('\n').toDouble()
    }

    companion object {
        /** Against a server whose replies [answer] may replace: null closes the connection, "" says nothing. */
        fun against(
            words: String,
            input: String = "",
            answer: (String, String) -> String? = { _, reply -> reply },
        ): Generation = FakeMemcached().use { server ->
            server.answer = answer
            of(server.address.port, words, input = input.reader().buffered())
        }

        fun of(
            port: Int,
            words: String,
            interruption: Interruption = Interruption(),
            input: BufferedReader = "".reader().buffered(),
        ): Generation {
            val json = File.createTempFile("loadgen", ".json")
            try {
                val arguments = "-s 127.0.0.1 -p $port -P memcache_text --json-out-file=$json $words".split(' ')
                val (out, err) = ByteArrayOutputStream() to ByteArrayOutputStream()
                val status = LoadGenerator(PrintStream(out), PrintStream(err), interruption, input)
                    .run(arguments)
                return Generation(status, out.toString(), err.toString(), json.readText())
            } finally {
                json.delete()
            }
        }
    }
}
