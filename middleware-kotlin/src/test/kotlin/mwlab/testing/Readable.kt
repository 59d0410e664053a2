package mwlab.testing

import mwlab.net.EventLoop
import mwlab.net.Selectable
import java.nio.ByteBuffer
import java.nio.channels.Pipe
import java.nio.channels.SelectionKey
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.assertEquals
import kotlin.time.Duration.Companion.hours

/** A pipe that has something to be read on a loop; [onRead] runs when it is. */
internal class Readable(loop: EventLoop, private val onRead: () -> Unit = {}) : Selectable {
    private val pipe = Pipe.open()
    var selections = 0
    val isOpen: Boolean get() = pipe.source().isOpen

    init {
        pipe.source().configureBlocking(false).register(loop.selector, SelectionKey.OP_READ, this)
        pipe.sink().write(ByteBuffer.allocate(1))
    }

    override fun onSelected() {
        selections++
        pipe.source().read(ByteBuffer.allocate(1))
        onRead()
    }

    override fun close() {
        pipe.source().close()
        pipe.sink().close()
    }
}

/** In one turn of [loop], whose clock says [now], something arrives and a timer becomes due: what has arrived must be read first. */
internal fun assertReadBeforeTimer(loop: EventLoop, now: AtomicLong) {
    val order = ConcurrentLinkedQueue<String>()
    val isOver = CountDownLatch(1)
    loop.startTimer(now.get() + 1.hours.inWholeNanoseconds) {
        order += "timer"
        isOver.countDown()
    }
    loop.execute {
        Readable(loop) { order += "read" }
        now.addAndGet(1.hours.inWholeNanoseconds)
    }
    isOver.await()
    assertEquals(listOf("read", "timer"), order.toList())
}
