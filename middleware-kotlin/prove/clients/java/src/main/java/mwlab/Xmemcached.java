package mwlab;

import static mwlab.Tap.expect;
import static mwlab.Tap.expectFailure;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;

/** Every operation of xmemcached (text protocol) against one server: {@code Xmemcached host port}. */
public final class Xmemcached {
    private final MemcachedClient client;
    private final Tap tap = new Tap();

    private Xmemcached(InetSocketAddress address) throws IOException {
        var builder = new XMemcachedClientBuilder(List.of(address));
        builder.setOpTimeout(5000);
        client = builder.build();
    }

    /** Prints one line for each test. */
    public static void main(String[] arguments) throws IOException {
        var address = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        var tests = new Xmemcached(address);
        tests.reads();
        tests.changes();
        tests.values();
        tests.tap.runAll();
        tests.client.shutdown();
        System.exit(0);
    }

    private void reads() {
        tap.test("a missing key is a miss", () -> expect(client.get("missing"), null));
        tap.test("a multi-get leaves missing keys out", () -> {
            set("one", "1");
            set("two", "2");
            Map<String, String> found = client.get(List.of("one", "missing", "two"));
            expect(new TreeMap<>(found), new TreeMap<>(Map.of("one", "1", "two", "2")));
        });
        tap.test("gets of several keys", () -> {
            set("one", "1");
            set("two", "2");
            var found = client.<String>gets(List.of("one", "two"));
            expect(client.cas("two", 100, "3", found.get("two").getCas()), true);
            expect(client.get("two"), "3");
        });
        tap.test("16 threads, whose gets the client merges", () -> {
            var threads = IntStream.range(0, 16).mapToObj(number -> CompletableFuture.runAsync(() -> rounds(number)));
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get();
        });
        tap.test("touch", () -> {
            set("touched", "1");
            expect(client.touch("touched", 100), true);
            client.delete("touched");
            expect(client.touch("touched", 100), false);
        });
        tap.test("versions", () -> expect(client.getVersions().size(), 1));
        tap.test("stats", () -> expect(client.getStats().values().iterator().next().containsKey("cmd_get"), true));
    }

    private void rounds(int number) {
        for (int i = 0; i < 50; i++) {
            try {
                roundTrip("thread-" + number, number + " " + i);
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        }
    }

    private void changes() {
        tap.test("add and replace depend on what is there", () -> {
            client.delete("added");
            expect(client.replace("added", 100, "0"), false);
            expect(client.add("added", 100, "1"), true);
            expect(client.add("added", 100, "2"), false);
            expect(client.replace("added", 100, "3"), true);
            expect(client.get("added"), "3");
        });
        tap.test("append and prepend", () -> {
            client.delete("extended");
            expect(client.append("extended", "x"), false);
            set("extended", "b");
            expect(client.append("extended", "c"), true);
            expect(client.prepend("extended", "a"), true);
            expect(client.get("extended"), "abc");
        });
        tap.test("cas stores once and then conflicts", () -> {
            set("swapped", "1");
            long unique = client.gets("swapped").getCas();
            expect(client.cas("swapped", 100, "2", unique), true);
            expect(client.cas("swapped", 100, "3", unique), false);
            expect(client.get("swapped"), "2");
        });
        tap.test("increment, decrement and a counter", () -> {
            client.delete("counter");
            expect(client.incr("counter", 1, 10), 10L);
            expect(client.incr("counter", 5), 15L);
            expect(client.decr("counter", 100), 0L);
            expect(client.getCounter("counter").incrementAndGet(), 1L);
            set("counter", "word");
            expectFailure(() -> client.incr("counter", 1));
        });
        tap.test("delete", () -> {
            set("deleted", "1");
            expect(client.delete("deleted"), true);
            expect(client.delete("deleted"), false);
        });
        tap.test("a value expires", () -> {
            expect(client.set("brief", 1, "1"), true);
            Thread.sleep(2500);
            expect(client.get("brief"), null);
        });
        tap.test("changes without reply", () -> {
            client.delete("silent");
            for (int i = 0; i < 200; i++) {
                client.setWithNoReply("silent", 100, "" + i);
            }
            client.appendWithNoReply("silent", "!");
            expect(client.get("silent"), "199!");
            client.deleteWithNoReply("silent");
            expect(client.get("silent"), null);
        });
        tap.test("flush_all", () -> {
            set("flushed", "1");
            client.flushAll();
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
            expectFailure(() -> client.set("too-large", 100, value));
            roundTrip("after", "1");
        });
        tap.test("a key of 250 bytes", () -> roundTrip("k".repeat(250), "1"));
        tap.test("a key in Unicode", () -> roundTrip("schlüssel-鍵", "1"));
        tap.test("malformed keys are refused by the client", () -> {
            for (String key : List.of("k".repeat(251), "with space", "line\nend", "")) {
                expectFailure(() -> client.set(key, 100, "1"));
            }
        });
    }

    private void set(String key, Object value) throws Exception {
        expect(client.set(key, 100, value), true);
    }

    private void roundTrip(String key, Object value) throws Exception {
        set(key, value);
        expect(client.get(key), value);
    }
}
