package mwlab.loadgen.report

import mwlab.json.literal
import mwlab.loadgen.measure.fixed
import kotlin.math.floor

/**
 * One line of memtier's configuration block.
 *
 * @property json the value as it stands in the JSON file
 * @property shown the value as `--show-config` prints it
 */
internal class Setting(val name: String, val json: String, val shown: String) {
    companion object {
        fun number(name: String, value: Number) = Setting(name, value.toString(), value.toString())

        /** A whole number to memtier; here it may have a fraction, which is told only then. */
        fun rate(name: String, value: Double) =
            if (value == floor(value)) number(name, value.toLong()) else number(name, value)

        fun decimal(name: String, value: Double) = value.fixed(DECIMALS).let { Setting(name, it, it) }

        fun key(name: String, value: Long) = Setting(name, value.toString().padStart(KEY_WIDTH), value.toString())

        fun text(name: String, value: String?) = Setting(name, literal(value), value ?: "(null)")

        fun flag(name: String, value: Boolean) = Setting(name, literal("$value"), if (value) "yes" else "no")

        fun range(name: String, first: Number, last: Number) = Setting(name, literal("$first:$last"), "$first-$last")

        private const val DECIMALS = 6
        private const val KEY_WIDTH = 11
    }
}
