package mwlab.metrics.admin

import mwlab.middleware.MiddlewareConfig
import mwlab.testing.ANY_PORT
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.UsesSockets
import mwlab.testing.eventually
import mwlab.testing.freePort
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.junit.jupiter.api.Assumptions.assumeTrue
import java.net.InetSocketAddress
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.nio.file.Files
import java.nio.file.Path
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.nanoseconds

@UsesSockets
class AdminServerTest {
    private val admin = InetSocketAddress("127.0.0.1", freePort())
    private val http = HttpClient.newHttpClient()

    private fun get(path: String): HttpResponse<String> =
        http.send(HttpRequest.newBuilder(URI("http://127.0.0.1:${admin.port}$path")).build(), BodyHandlers.ofString())

    @Test
    fun `statistics and metrics count what clients did`() = withServers(2) { servers ->
        withMiddleware(MiddlewareConfig(ANY_PORT, servers.map { it.address }, admin = admin)) { address ->
            TextClient(address).use { client ->
                client.set("k", "1")
                repeat(3) { client.get("k") }
                eventually("the second is over") { "\"requests\":3,\"keys\":3" in get("/stats").body() }
            }
            val metrics = get("/metrics")
            assertEquals(
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                metrics.headers().firstValue("content-type").get(),
            )
            assertTrue("mwlab_requests_total{type=\"get\"} 3\n" in metrics.body())
            assertTrue("mwlab_response_time_seconds_count{type=\"set\"} 1\n" in metrics.body())
            assertTrue(metrics.body().endsWith("# EOF\n"))
            assertEquals(
                metrics.body().lines().filter {
                    it.startsWith("# TYPE")
                }.distinct(),
                metrics.body().lines().filter { it.startsWith("# TYPE") },
            )
        }
    }

    @Test
    fun `slow requests are shown where a slow log is kept`() = withServers(1) { (server) ->
        for (slowLog in listOf(1.nanoseconds, null)) {
            val config = MiddlewareConfig(ANY_PORT, listOf(server.address), admin = admin, slowLog = slowLog)
            withMiddleware(config) { address ->
                TextClient(address).use { it.set("k", "1") }
                if (slowLog != null) {
                    eventually("the request is kept") { get("/slow").body().lines().size > 2 }
                    val (head, row) = get("/slow").body().lines()
                    assertTrue(head.startsWith("client,number,request_type,"), head)
                    assertTrue(Regex("127.0.0.1:\\d+,0,set,.*").matches(row), row)
                } else {
                    val answer = get("/slow")
                    assertEquals(404, answer.statusCode())
                    assertTrue("--slow-log" in answer.body())
                }
            }
        }
    }

    @Test
    fun `health is red while no server can be reached`() = withServers(2) { servers ->
        withMiddleware(MiddlewareConfig(ANY_PORT, servers.map { it.address }, admin = admin)) {
            assertEquals(200, get("/health").statusCode())
            servers[0].close()
            eventually("one is down") {
                get("/health").body().matches(Regex("\\{\"up\":\\[\".*\"],\"down\":\\[\".*\"]}\n"))
            }
            assertEquals(200, get("/health").statusCode())
            servers[1].close()
            eventually("both are down") { get("/health").statusCode() == 503 }
        }
    }

    /** The reference implementation's parser, where the repository's Python environment is there. */
    @Test
    @UsesPrograms
    fun `metrics are what a parser of OpenMetrics takes`() {
        val python = Path.of("../.venv/bin/python")
        assumeTrue(Files.isExecutable(python), "$python is not there")
        for (instrumentation in listOf(true, false)) {
            withServers(2) { servers ->
                val config = MiddlewareConfig(
                    ANY_PORT,
                    servers.map { it.address },
                    admin = admin,
                    instrumentation = instrumentation,
                )
                withMiddleware(config) { address ->
                    TextClient(address).use { client ->
                        client.set("k", "1")
                        client.get("k", "none")
                        servers[1].close()
                        eventually("the loss is seen") { "server_reconnects_total" in get("/metrics").body() }
                    }
                    val parser = ProcessBuilder("$python", "-c", PARSE).redirectErrorStream(true).start()
                    parser.outputStream.use { it.write(get("/metrics").body().toByteArray()) }
                    val output = parser.inputStream.bufferedReader().readText()
                    assertEquals(0, parser.waitFor(), output)
                    assertTrue("mwlab_server_failovers" in output, output)
                }
            }
        }
    }

    private companion object {
        val PARSE = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
            print(*(family.name for family in parse(sys.stdin.read())))
        """.trimIndent()
    }
}
