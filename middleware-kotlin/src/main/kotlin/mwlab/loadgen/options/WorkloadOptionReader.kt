package mwlab.loadgen.options

import mwlab.follow.Follow
import mwlab.options.CommandLine
import mwlab.options.demand

internal fun readMix(line: CommandLine): Mix {
    readQueueMix(line)?.let { return it }
    val defaults = Mix()
    val (sets, gets) = line.pair(
        "ratio",
        ':',
        defaults.sets.toLong() to defaults.gets.toLong(),
        "ratio must be expressed as [0-n]:[0-n].",
    )
    demand(sets + gets in 1..Int.MAX_VALUE) { "ratio must be expressed as [0-n]:[0-n], not both zero." }
    val multiKeyGet = line.count("multi-key-get", defaults.multiKeyGet)
    demand(multiKeyGet <= 1 || gets > 0) { "--multi-key-get needs a --ratio with gets." }
    return Mix(sets.toInt(), gets.toInt(), multiKeyGet)
}

internal fun readSample(line: CommandLine): Sample? {
    demand(("sample" in line) == ("sample-file" in line)) { "--sample and --sample-file must be given together." }
    val share = line["sample"] ?: return null
    val oneOf = share.removePrefix("1/").toIntOrNull()
    demand(share.startsWith("1/") && oneOf != null && oneOf > 0) { "sample must be expressed as 1/[1-n]." }
    return Sample(oneOf, line["sample-file"].orEmpty())
}

internal fun readFollowed(line: CommandLine): Followed? {
    demand(("follow" in line) == ("follow-file-prefix" in line)) {
        "--follow and --follow-file-prefix must be given together."
    }
    val follow = Follow.parse(line["follow"] ?: return null)
    demand(follow != null) { "follow must be expressed as 1/[1-n]." }
    return Followed(follow, line["follow-file-prefix"].orEmpty())
}
