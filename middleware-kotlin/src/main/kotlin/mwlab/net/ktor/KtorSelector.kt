package mwlab.net.ktor

import io.ktor.network.selector.SelectInterest
import io.ktor.network.selector.SelectorManager
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.net.EventLoop
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey
import java.nio.channels.spi.SelectorProvider
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resumeWithException
import io.ktor.network.selector.Selectable as KtorSelectable
import mwlab.net.Selectable as LoopSelectable

/**
 * ktor-network's selection by the selector of [loop]: no other selector, no other thread, and who waits goes on at once.
 *
 * Confined to the loop's thread. Who is cancelled while it waits closes the socket.
 */
internal class KtorSelector(val loop: EventLoop) : SelectorManager {
    override val provider: SelectorProvider get() = loop.selector.provider()
    override val coroutineContext: CoroutineContext get() = loop

    override suspend fun select(selectable: KtorSelectable, interest: SelectInterest) =
        suspendCancellableCoroutine { continuation ->
            val channel = selectable.channel
            if (!channel.isOpen || !loop.selector.isOpen) throw ClosedChannelException()
            selectable.suspensions.addSuspension(interest, continuation)
            val key = channel.keyFor(loop.selector) ?: channel.register(loop.selector, 0).apply {
                attach(Selected(this, selectable))
            }
            key.interestOpsOr(interest.flag)
        }

    override fun notifyClosed(selectable: KtorSelectable) =
        selectable.suspensions.invokeForEachPresent { resumeWithException(ClosedChannelException()) }

    /** The loop closes its own selector. */
    override fun close() = Unit

    private inner class Selected(private val key: SelectionKey, private val selectable: KtorSelectable) :
        LoopSelectable {
        @OptIn(ExperimentalCoroutinesApi::class)
        override fun onSelected() {
            if (!key.isValid) return
            val ready = key.readyOps()
            // Turned on again before the next select, as usual, it costs no system call.
            key.interestOpsAnd(ready.inv())
            selectable.suspensions.invokeForEachPresent(ready) { loop.run { resumeUndispatched(Unit) } }
        }

        override fun close() {
            selectable.channel.close()
            notifyClosed(selectable)
        }
    }
}
