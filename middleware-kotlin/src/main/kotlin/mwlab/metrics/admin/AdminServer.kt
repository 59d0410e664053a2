package mwlab.metrics.admin

import io.ktor.http.ContentType
import io.ktor.http.HttpStatusCode
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import mwlab.json.json
import mwlab.metrics.results.Reporter
import java.io.IOException
import java.net.InetSocketAddress
import java.net.ServerSocket

/**
 * Shows the measurements over HTTP, on threads of its own: `/metrics` (OpenMetrics), `/stats` (the summary as JSON),
 * `/health` (200 while a server can be reached, else 503) and `/slow` (the slow log as CSV).
 *
 * [start] once and [stop] once.
 *
 * @param slowLog the slow log; null: there is none, and `/slow` is not found
 */
internal class AdminServer(
    private val address: InetSocketAddress,
    private val reporter: Reporter,
    private val slowLog: (() -> String)?,
) {
    private val server = embeddedServer(CIO, host = address.hostString, port = address.port) {
        routing {
            get("/metrics") {
                call.respondText(reporter.read(OpenMetrics::of), ContentType.parse(OpenMetrics.CONTENT_TYPE))
            }
            get("/stats") { call.respondText(json(reporter.summary()) + "\n", ContentType.Application.Json) }
            get("/slow") {
                val rows = slowLog?.invoke()
                if (rows != null) {
                    call.respondText(rows, ContentType.Text.CSV)
                } else {
                    call.respondText(
                        "no slow log: start the middleware with --slow-log\n",
                        status = HttpStatusCode.NotFound,
                    )
                }
            }
            get("/health") {
                val (up, down) = reporter.read { it.serverHealth() }.partition { it.up > 0 }
                val status = if (up.isEmpty()) HttpStatusCode.ServiceUnavailable else HttpStatusCode.OK
                val body = mapOf("up" to up.map { it.server }, "down" to down.map { it.server })
                call.respondText(json(body) + "\n", ContentType.Application.Json, status)
            }
        }
    }

    /**
     * Suspends until the port is bound.
     *
     * @throws IOException if it cannot be.
     */
    suspend fun start() {
        // Ktor would report a port in use on a thread of its own, where nobody can catch it.
        ServerSocket().use { it.bind(address) }
        server.startSuspend(wait = false)
        server.engine.resolvedConnectors()
    }

    suspend fun stop() = server.stopSuspend(gracePeriodMillis = 0, timeoutMillis = 500)
}
