package mwlab.middleware.routing

import mwlab.memcached.Request
import mwlab.memcached.Verb
import mwlab.metrics.Recorder
import mwlab.middleware.job.Job
import mwlab.middleware.job.Patience
import mwlab.net.NanoClock
import mwlab.net.buffer.BufferPool
import kotlin.time.Duration

/**
 * Which servers a job of one worker goes to first, as the [router] says, and where it goes on when they fail: reads, if [hasFailover],
 * to the next server that holds the keys; `version` always, to any.
 *
 * All attempts together take no longer than [timeout]: each may take its even share of the time left, counted by the servers left.
 */
internal class Routes(
    private val router: Router,
    private val servers: Int,
    private val hasFailover: Boolean,
    timeout: Duration,
    private val clock: NanoClock,
) {
    private val timeoutNanos = timeout.inWholeNanoseconds
    private val everywhere = List(servers) { Part(it) }

    /** The parts of [job] to begin with; empty: its answer has a meaning on one server only, and its keys have several. */
    fun first(job: Job): List<Part> {
        val request = job.request
        return when {
            request.needsOneServer && router.copies > 1 -> emptyList()
            request is Request.Retrieval -> router.retrieval(request, job.bytes)
            request is Request.Update -> router.update(request, job.bytes)
            else -> if (isVersion(request)) everywhere.take(1) else everywhere
        }
    }

    /** How long the calls of [job] may take that are made now. */
    fun patience(job: Job): Patience {
        val left = copies(job.request) - job.triedServers.size
        val isFirst = job.triedServers.isEmpty()
        if (left <= 1 && isFirst) return Patience.OF_THE_CONNECTION
        val nanos = clock.nanos()
        if (isFirst) job.deadlineNanos = nanos + timeoutNanos
        return Patience(maxOf(job.deadlineNanos - nanos, 1) / maxOf(left, 1), hasAlternative = left > 1)
    }

    /**
     * The parts of [job] to ask other servers for; their failed calls are taken out of the job, released to [pool] and counted.
     * Empty: there are none, or not for all that failed, so that the job is lost anyway.
     */
    fun retry(job: Job, pool: BufferPool, recorder: Recorder): List<Part> {
        if (copies(job.request) <= 1 || job.calls.none { it.failure != null }) return emptyList()
        if (clock.nanos() >= job.deadlineNanos) return emptyList()
        val failed = job.calls.filter { it.failure != null }
        job.triedServers += failed.map { it.server.index }
        val alternatives = failed.map { alternatives(job, Part(it.server.index, it.keys)) }
        if (alternatives.any { it.isEmpty() }) return emptyList()
        for (call in failed) {
            call.release(pool)
            recorder.failedOver(call.server.index)
        }
        job.calls -= failed.toSet()
        return alternatives.flatten()
    }

    private fun copies(request: Request): Int = when {
        request is Request.Retrieval && hasFailover && !request.changesItems -> router.copies
        isVersion(request) -> servers
        else -> 1
    }

    private fun isVersion(request: Request): Boolean = request is Request.Inquiry && request.verb == Verb.VERSION

    private fun alternatives(job: Job, part: Part): List<Part> = when (val request = job.request) {
        is Request.Retrieval -> router.alternatives(request, job.bytes, part, job.triedServers)
        else -> nextServer(part, servers, job.triedServers)
    }
}
