package mwlab.loadgen.report

import mwlab.json.JsonWriter
import mwlab.json.quoted
import mwlab.loadgen.measure.fixed

/** A number with so many decimals; one that JSON cannot write is null. */
internal fun JsonWriter.number(name: String, value: Double, decimals: Int) =
    raw(name, if (value.isFinite()) value.fixed(decimals) else "null")

/** memtier writes booleans as text. */
internal fun JsonWriter.flag(name: String, value: Boolean) = raw(name, quoted(value.toString()))
