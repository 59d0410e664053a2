package mwlab.loadgen.options

import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals

class OptionTableTest {
    @Test
    fun `every option that memtier lacks is told in the README`() {
        val told = File("README.md").readText()
        val beyond = optionGroups.single { it.title == "Beyond memtier" }.options.map { "--${it.name}" }
        assertEquals(emptyList(), beyond.filter { Regex("[` ]$it[` ]") !in told })
    }
}
