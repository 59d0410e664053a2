package mwlab;

import static mwlab.Tap.expect;
import static mwlab.Tap.expectFailure;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.spy.memcached.CASResponse;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.MemcachedClient;

/** Every operation of spymemcached (text protocol) against one server: {@code Spymemcached host port}. */
public final class Spymemcached {
    private final MemcachedClient client;
    private final Tap tap = new Tap();

    private Spymemcached(InetSocketAddress address) throws IOException {
        var text = new ConnectionFactoryBuilder().setOpTimeout(5000).build();
        client = new MemcachedClient(text, List.of(address));
    }

    /** Prints one line for each test. */
    public static void main(String[] arguments) throws IOException {
        System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SLF4JLogger");
        var address = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        var tests = new Spymemcached(address);
        tests.reads();
        tests.changes();
        tests.values();
        tests.tap.runAll();
        tests.client.shutdown(5, TimeUnit.SECONDS);
        System.exit(0);
    }

    private void reads() {
        tap.test("a missing key is a miss", () -> expect(client.get("missing"), null));
        tap.test("a multi-get leaves missing keys out", () -> {
            set("one", "1");
            set("two", "2");
            expect(new TreeMap<>(client.getBulk("one", "missing", "two")), new TreeMap<>(Map.of("one", "1", "two", "2")));
        });
        tap.test("1000 requests ahead, which the client merges into multi-gets", () -> {
            List<Future<Object>> values = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                client.set("ahead-" + i, 100, "value " + i);
                values.add(client.asyncGet("ahead-" + i));
            }
            for (int i = 0; i < 500; i++) {
                expect(values.get(i).get(5, TimeUnit.SECONDS), "value " + i);
            }
        });
        tap.test("touch", () -> {
            set("touched", "1");
            expect(client.touch("touched", 100).get(), true);
            expect(client.delete("touched").get(), true);
            expect(client.touch("touched", 100).get(), false);
        });
        tap.test("versions", () -> expect(client.getVersions().size(), 1));
        tap.test("stats", () -> expect(client.getStats().values().iterator().next().containsKey("cmd_get"), true));
        tap.test("stats settings", () ->
                expect(client.getStats("settings").values().iterator().next().containsKey("maxbytes"), true));
    }

    private void changes() {
        tap.test("add and replace depend on what is there", () -> {
            client.delete("added").get();
            expect(client.replace("added", 100, "0").get(), false);
            expect(client.add("added", 100, "1").get(), true);
            expect(client.add("added", 100, "2").get(), false);
            expect(client.replace("added", 100, "3").get(), true);
            expect(client.get("added"), "3");
        });
        tap.test("append and prepend", () -> {
            client.delete("extended").get();
            expect(client.append("extended", "x").get(), false);
            set("extended", "b");
            expect(client.append("extended", "c").get(), true);
            expect(client.prepend("extended", "a").get(), true);
            expect(client.get("extended"), "abc");
        });
        tap.test("cas stores once and then conflicts", () -> {
            set("swapped", "1");
            long unique = client.gets("swapped").getCas();
            expect(client.cas("swapped", unique, "2"), CASResponse.OK);
            expect(client.cas("swapped", unique, "3"), CASResponse.EXISTS);
            expect(client.delete("swapped").get(), true);
            expect(client.cas("swapped", unique, "4"), CASResponse.NOT_FOUND);
        });
        tap.test("increment and decrement", () -> {
            client.delete("counter").get();
            expect(client.incr("counter", 1), -1L);
            expect(client.incr("counter", 1, 10L, 100), 10L);
            expect(client.incr("counter", 5), 15L);
            expect(client.decr("counter", 100), 0L);
            set("counter", "word");
            expect(client.incr("counter", 1), -1L);
        });
        tap.test("delete", () -> {
            set("deleted", "1");
            expect(client.delete("deleted").get(), true);
            expect(client.delete("deleted").get(), false);
        });
        tap.test("a value expires", () -> {
            expect(client.set("brief", 1, "1").get(), true);
            Thread.sleep(2500);
            expect(client.get("brief"), null);
        });
        tap.test("flush_all", () -> {
            set("flushed", "1");
            expect(client.flush().get(), true);
            expect(client.get("flushed"), null);
        });
    }

    private void values() {
        tap.test("values of all types come back", () -> {
            for (Object value : List.of("text", 17, 1L << 40, -1.5, true, List.of(1, 2))) {
                roundTrip("typed", value);
            }
        });
        tap.test("an empty value", () -> roundTrip("empty", ""));
        tap.test("a value of all bytes and line ends", () -> roundTrip("binary", Tap.allBytes()));
        tap.test("a value of 1 MiB - 512 bytes", () -> {
            byte[] value = new byte[Tap.LARGE_BYTES];
            new java.util.Random(1).nextBytes(value); // which cannot be compressed
            roundTrip("large", value);
        });
        tap.test("a compressed value", () -> roundTrip("compressed", "compress me ".repeat(10_000)));
        tap.test("a value that is too large is refused, and the client works on", () -> {
            byte[] value = new byte[2 * 1024 * 1024];
            new java.util.Random(1).nextBytes(value);
            expectFailure(() -> client.set("too-large", 100, value).get());
            roundTrip("after", "1");
        });
        tap.test("a key of 250 bytes", () -> roundTrip("k".repeat(250), "1"));
        tap.test("a key in Unicode", () -> roundTrip("schlüssel-鍵", "1"));
        tap.test("malformed keys are refused by the client", () -> {
            for (String key : List.of("k".repeat(251), "with space", "line\nend", "")) {
                expectFailure(() -> client.set(key, 100, "1").get());
            }
        });
    }

    private void set(String key, Object value) throws Exception {
        expect(client.set(key, 100, value).get(), true);
    }

    private void roundTrip(String key, Object value) throws Exception {
        set(key, value);
        expect(client.get(key), value);
    }
}
