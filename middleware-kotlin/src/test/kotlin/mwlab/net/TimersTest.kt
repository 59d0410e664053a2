package mwlab.net

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.AfterTest
import kotlin.test.Test
import kotlin.test.assertEquals

class TimersTest {
    private val nowNanos = AtomicLong()
    private val loop = EventLoop("test", clock = nowNanos::get)
    private val timers = Timers()
    private val fired = mutableListOf<String>()

    @AfterTest
    fun close() = loop.close()

    private fun add(name: String, deadlineNanos: Long, block: () -> Unit = {}): Timer {
        val timer = Timer(loop, deadlineNanos) {
            fired += name
            block()
        }
        timers.add(timer)
        return timer
    }

    @Test
    fun `timers fire in the order of their deadlines, whatever the order in which they were started`() {
        for (deadline in listOf(30L, 10L, 20L)) add("$deadline", deadline)
        timers.fire(100)
        assertEquals(listOf("10", "20", "30"), fired)
    }

    @Test
    fun `timers with the same deadline fire in the order in which they were started`() {
        for (name in listOf("first", "second", "third")) add(name, 10)
        timers.fire(10)
        assertEquals(listOf("first", "second", "third"), fired)
    }

    @Test
    fun `a timer fires at its deadline, not before, and once`() {
        add("timer", 10)
        timers.fire(9)
        assertEquals(emptyList(), fired)
        timers.fire(10)
        timers.fire(11)
        assertEquals(listOf("timer"), fired)
    }

    @Test
    fun `a timer that is removed does not fire, and removing it again changes nothing`() {
        val removed = add("removed", 10)
        add("kept", 10)
        repeat(2) { timers.remove(removed) }
        timers.fire(10)
        assertEquals(listOf("kept"), fired)
    }

    @Test
    fun `a timer can remove one that is due at the same moment`() {
        lateinit var second: Timer
        add("first", 10) { timers.remove(second) }
        second = add("second", 10)
        timers.fire(10)
        assertEquals(listOf("first"), fired)
    }

    @Test
    fun `a timer that is started by another fires in the same go only if it is due`() {
        add("first", 10) {
            add("due", 10)
            add("later", 11)
        }
        timers.fire(10)
        assertEquals(listOf("first", "due"), fired)
        timers.fire(11)
        assertEquals(listOf("first", "due", "later"), fired)
    }

    @Test
    fun `the time to the first deadline shrinks to nothing, and there is none without timers`() {
        assertEquals(Long.MAX_VALUE, timers.nanosToNext(0))
        assertEquals(Long.MAX_VALUE, timers.firstDeadlineNanos)
        val first = add("first", 10)
        add("second", 30)
        assertEquals(10, timers.firstDeadlineNanos)
        assertEquals(listOf(7L, 0L, -5L), listOf(3L, 10L, 15L).map(timers::nanosToNext))
        timers.remove(first)
        assertEquals(20, timers.nanosToNext(10))
    }

    @Test
    fun `other threads can start and dispose timers of a loop`() {
        val (started, isOver) = List(2) { CountDownLatch(1) }
        loop.startTimer(10) { fired += "started" }
        loop.startTimer(10) { fired += "disposed" }.dispose()
        loop.startTimer(20) { isOver.countDown() }
        loop.execute(started::countDown)
        started.await()
        assertEquals(emptyList(), fired, "the loop's clock stands still")
        nowNanos.set(20)
        loop.execute {} // wakes the loop up, as what moves a real clock does not have to
        isOver.await()
        assertEquals(listOf("started"), fired)
    }
}
