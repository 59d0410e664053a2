package mwlab.prove.differential

import mwlab.prove.differential.commands.StreamGenerator

/** One stream of commands that both systems get; [seed] tells all of it. */
internal class Stream(private val lane: Lane, private val seed: Long, private val commands: Int) {
    private val generator = StreamGenerator(seed, lane.hasUniques)

    /** Sends all of it over [exchange]; null if the answers are alike, else the number of the batch whose answers differ. */
    fun run(exchange: Exchange): Difference? {
        begin(exchange)?.let { return it }
        repeat(batches) { number ->
            val batch = generator.batch(BATCH)
            val answers = exchange.ask(batch.joinToString(""), generator::cuts)
            if (!answers.areAlike) return Difference(lane, seed, number, batch, answers)
            finish(exchange, number, answers)?.let { return it }
        }
        return null
    }

    /** Sends the batches before number [last], then this one command by command: the first that is answered differently. */
    fun findCommand(exchange: Exchange, last: Int): Difference? {
        begin(exchange)?.let { return it }
        repeat(batches) { number ->
            val batch = generator.batch(BATCH)
            if (number == last) {
                for (command in batch) {
                    val answers = exchange.ask(command)
                    if (!answers.areAlike) return Difference(lane, seed, number, listOf(command), answers)
                }
                return null
            }
            val answers = exchange.ask(batch.joinToString(""), generator::cuts)
            finish(exchange, number, answers)?.let { return it }
        }
        return null
    }

    private val batches: Int get() = (commands + BATCH - 1) / BATCH

    private fun begin(exchange: Exchange): Difference? {
        val reset = generator.reset()
        val answers = exchange.ask(reset)
        return if (answers.areAlike) null else Difference(lane, seed, -1, listOf(reset), answers)
    }

    private fun finish(exchange: Exchange, number: Int, answers: Answers): Difference? {
        generator.learn(String(answers.direct, Charsets.ISO_8859_1).takeLast(TAIL))
        val farewell = generator.farewell() ?: return null
        val end = exchange.askLast(farewell)
        return if (end.areAlike) null else Difference(lane, seed, number, listOf(farewell), end)
    }

    companion object {
        /** Commands that are sent together. */
        const val BATCH = 400
        private const val TAIL = 4000
    }
}
