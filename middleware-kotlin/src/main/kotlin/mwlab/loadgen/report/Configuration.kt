package mwlab.loadgen.report

import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import mwlab.loadgen.workload.requestsPerClient

/** The options in the order and words of memtier's configuration block; what memcache_text cannot have stands empty. */
internal fun configurationOf(options: Options): List<Setting> =
    targetSettings(options) + loadSettings(options) + valueSettings(options.values) + keySettings(options.keys) +
        lastSettings(options)

private fun targetSettings(options: Options) = listOf(
    Setting.text("server", options.target.server),
    Setting.number("port", options.target.port),
    Setting.text("uri", ""),
    Setting.text("unix socket", options.target.unixSocket),
    Setting.text("address family", options.target.family.label),
    Setting.text("protocol", "memcache_text"),
    Setting.text("out_file", options.output.outFile),
    Setting.flag("tls", false),
    Setting.text("cert", null),
    Setting.text("key", null),
    Setting.text("cacert", null),
    Setting.flag("tls_skip_verify", false),
    Setting.text("sni", null),
)

private fun loadSettings(options: Options) = listOf(
    Setting.text("client_stats", options.output.clientStats),
    Setting.number("run_count", options.load.runCount),
    Setting.number("debug", if (options.output.debug) 1 else 0),
    Setting.number("requests", requestsPerClient(options)),
    Setting.rate("rate_limit", options.pacing.rateLimitPerS),
    Setting.number("clients", options.load.clients),
    Setting.number("threads", options.load.threads),
    Setting.number("test_time", options.load.testTimeS),
    Setting.text("ratio", ratioOf(options)),
    Setting.number("pipeline", options.load.pipeline),
)

/** Empty where messages are sent. */
private fun ratioOf(options: Options): String =
    if (options.mix.queues == null) "${options.mix.sets}:${options.mix.gets}" else ""

private fun valueSettings(values: Values): List<Setting> {
    val sizes = (values.size as? ValueSize.Range)?.bytes ?: 0..0
    val weights = (values.size as? ValueSize.Weighted)?.weightOfBytes.orEmpty()
    return listOf(
        Setting.number("data_size", (values.size as? ValueSize.Fixed)?.bytes ?: 0),
        Setting.number("data_offset", 0),
        Setting.flag("random_data", values.randomData),
        Setting.range("data_size_range", sizes.first, sizes.last),
        Setting.text("data_size_list", weights.joinToString(",") { (bytes, weight) -> "$bytes:$weight" }),
        Setting.text("data_size_pattern", if (values.spreadOverKeys) "S" else "R"),
        Setting.range("expiry_range", values.expiryS.first, values.expiryS.last),
        Setting.text("data_import", null),
        Setting.flag("data_verify", false),
        Setting.flag("verify_only", false),
        Setting.flag("generate_keys", false),
    )
}

private fun keySettings(keys: Keys) = listOf(
    Setting.text("key_prefix", keys.prefix),
    Setting.key("key_minimum", keys.minimum),
    Setting.key("key_maximum", keys.maximum),
    Setting.text("key_pattern", "${keys.setPattern.letter}:${keys.getPattern.letter}"),
    Setting.decimal("key_stddev", keys.stddev),
    Setting.decimal("key_median", keys.median),
    Setting.decimal("key_zipf_exp", keys.zipfExponent),
)

private fun lastSettings(options: Options) = listOf(
    Setting.number("reconnect_interval", options.target.reconnectInterval),
    Setting.number("connection_timeout", options.target.connectionTimeoutS),
    Setting.number("thread_conn_start_min_jitter_micros", 0),
    Setting.number("thread_conn_start_max_jitter_micros", 0),
    Setting.number("multi_key_get", options.mix.multiKeyGet),
    Setting.text("authenticate", ""),
    Setting.number("select-db", 0),
    Setting.flag("no-expiry", false),
    Setting.text("wait-ratio", "0:0"),
    Setting.range("num-slaves", 0, 0),
    Setting.text("wait-timeout", "0-0"),
    Setting.flag("print-all-runs", options.output.printAllRuns),
)
