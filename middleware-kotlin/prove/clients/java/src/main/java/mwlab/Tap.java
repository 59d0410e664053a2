package mwlab;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Tests by name; prints TAP. */
final class Tap {
    /** One test: it throws if it fails. */
    interface Test {
        void run() throws Exception;
    }

    static final int LARGE_BYTES = 1024 * 1024 - 512;
    private final Map<String, Test> tests = new LinkedHashMap<>();

    void test(String name, Test test) {
        tests.put(name, test);
    }

    void runAll() {
        System.out.println("1.." + tests.size());
        tests.forEach((name, test) -> {
            try {
                test.run();
                System.out.println("ok " + name);
            } catch (Exception | AssertionError failure) {
                System.out.println("not ok " + name + "\n# " + String.valueOf(failure).replace("\n", " "));
            }
        });
    }

    static void expect(Object got, Object wanted) {
        if (!Objects.deepEquals(got, wanted)) {
            throw new AssertionError("got " + brief(got) + " instead of " + brief(wanted));
        }
    }

    static void expectFailure(Test test) throws Exception {
        try {
            test.run();
        } catch (Exception expected) {
            return;
        }
        throw new AssertionError("nothing was refused");
    }

    static byte[] allBytes() {
        byte[] value = new byte[512];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (i < 256 ? i : i % 2 == 0 ? '\r' : '\n');
        }
        return value;
    }

    private static String brief(Object value) {
        String text = String.valueOf(value);
        return text.substring(0, Math.min(text.length(), 200));
    }
}
