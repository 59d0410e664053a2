package mwlab.middleware.reply

import java.math.BigDecimal

/** The answers of several servers to one `stats` command, made into one. Pure. */
internal object ServerStatistics {
    /** Facts, of which there is no sum: all that differ are told, in the order of the servers. */
    private val FACTS = names("pid version libevent pointer_size chunk_size chunks_per_page sizes_status")

    /** Ages, switches and moments of which the largest one matters. */
    private val LARGEST = names("time age age_hot age_warm evicted_time hash_power_level hash_is_expanding") +
        names("slab_reassign_running lru_crawler_running active_slabs")
    private val SMALLEST = names("uptime accepting_conns")
    private const val STAT = "STAT "

    /**
     * The lines that answer `stats <group>` ([group] is empty for `stats` alone), without the closing `END`.
     *
     * One answer stays as it is. Of several, counters become their sum; uptime and accepting_conns the smallest; time, ages
     * and switches the largest; facts, settings and words all different values with commas between. Connections are told apart by their
     * server's name. Lines that are no statistics are kept as they are.
     *
     * @param answers the servers' names and lines.
     */
    fun merge(group: String, answers: List<Pair<String, List<String>>>): List<String> {
        if (answers.size == 1) return answers.single().second
        val values = LinkedHashMap<String, MutableList<String>>()
        val others = mutableListOf<String>()
        for ((server, lines) in answers) {
            val (statistics, rest) = lines.partition { it.startsWith(STAT) }
            others += rest
            for (statistic in statistics.map { it.removePrefix(STAT) }) {
                val name = statistic.substringBefore(' ')
                val unique = if (group == "conns") "$server:$name" else name
                values.getOrPut(unique, ::mutableListOf) += statistic.substringAfter(' ', "")
            }
        }
        return values.map { (name, all) -> "$STAT$name ${merged(group, name.substringAfterLast(':'), all)}" } + others
    }

    private fun merged(group: String, name: String, values: List<String>): String {
        val numbers = values.map { it.toBigDecimalOrNull() ?: return together(values) }
        return when {
            group == "settings" || name in FACTS -> together(values)
            name in LARGEST -> numbers.max().toPlainString()
            name in SMALLEST -> numbers.min().toPlainString()
            else -> numbers.reduce(BigDecimal::add).toPlainString()
        }
    }

    private fun names(words: String): Set<String> = words.split(' ').toSet()

    private fun together(values: List<String>): String = values.distinct().joinToString(",")
}
