package mwlab.loadgen.measure

import kotlin.test.Test
import kotlin.test.assertEquals

class SlicesTest {
    @Test
    fun `a reply counts in the tenth of the second in which it came`() {
        val slices = Slices().apply {
            record(99_999_999, 5)
            record(100_000_000, 7)
            record(100_000_001, 8)
            record(999_999_999, 2)
        }
        assertEquals(listOf(1L, 2, 0, 0, 0, 0, 0, 0, 0, 1), slices.replies)
        assertEquals(listOf(5L, 15, 0, 0, 0, 0, 0, 0, 0, 2), slices.responseTimesUs)
    }

    @Test
    fun `replies that were read before those of an earlier connection count in the nearest slice`() {
        val slices = Slices().apply {
            record(-1, 3)
            record(1_000_000_000, 4)
        }
        assertEquals(listOf(1L, 0, 0, 0, 0, 0, 0, 0, 0, 1), slices.replies)
    }

    @Test
    fun `slices of several connections add up`() {
        val sum = Slices().apply { record(0, 3) }
        sum += Slices().apply { record(50_000_000, 4) }
        assertEquals(2, sum.replies.first())
        assertEquals(7, sum.responseTimesUs.first())
    }
}
