import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * A middleware for memcached of threads and blocking sockets, as simple as one can be:
 *
 *     java Mine.java -l ADDRESS -p PORT -t WORKERS -s true|false -m SERVER:PORT ...
 *
 * A thread for each client reads one request, puts it into the queue, and waits for its reply before it
 * reads the next: so replies keep the order of requests, and a client that does not read its reply holds
 * up its own thread only. Workers take requests from the queue; each has a connection of its own to every
 * server, so they share nothing but the queue. SIGTERM ends the JVM, with status 143.
 */
public class Mine {
    static final int QUEUE_CAPACITY = 10_000; // more than clients: each has one request at most in it
    static final int LONGEST_KEY = 250;
    static final int LONGEST_LINE = 64 * 1024;
    static final int LARGEST_VALUE = 2 * 1024 * 1024;
    static final int TIMEOUT_MS = 3_000; // a server that says nothing for so long counts as down

    /** What a client has asked for: the keys of a get, or a whole set. A worker completes the reply. */
    record Job(List<String> keys, byte[] request, CompletableFuture<byte[]> reply) {
        boolean isSet() {
            return keys.isEmpty();
        }
    }

    static final BlockingQueue<Job> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);

    public static void main(String[] args) throws IOException {
        List<String> options = Arrays.asList(args);
        String address = options.get(options.indexOf("-l") + 1);
        int port = Integer.parseInt(options.get(options.indexOf("-p") + 1));
        int workers = Integer.parseInt(options.get(options.indexOf("-t") + 1));
        boolean sharded = Boolean.parseBoolean(options.get(options.indexOf("-s") + 1));
        List<String> servers = options.subList(options.indexOf("-m") + 1, options.size());
        for (int number = 0; number < workers; number++) {
            new Thread(new Worker(number, sharded, servers), "worker-" + number).start();
        }
        try (ServerSocket listening = new ServerSocket(port, 1024, InetAddress.getByName(address))) {
            System.out.println("listening on " + address + ":" + port);
            while (true) {
                Socket client = listening.accept();
                new Thread(() -> serve(client)).start();
            }
        }
    }

    /** Answers one client until it hangs up. */
    static void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true); // a reply must not wait for the client's acknowledgements
            InputStream in = new BufferedInputStream(client.getInputStream());
            while (true) {
                String[] words = readLine(in, LONGEST_LINE).split(" +");
                if (words[0].equals("quit")) return;
                boolean silent = words[0].equals("set") && words.length == 6 && words[5].equals("noreply");
                byte[] reply = answer(words, in);
                if (!silent) client.getOutputStream().write(reply); // not by the worker: it may block
            }
        } catch (IOException | InterruptedException hungUp) {
            // Nobody is left to tell; what a worker does for this client now is lost.
        }
    }

    static byte[] answer(String[] words, InputStream in) throws IOException, InterruptedException {
        Job job;
        if (words[0].equals("get") && words.length > 1) {
            List<String> keys = Arrays.asList(words).subList(1, words.length);
            if (keys.stream().anyMatch(key -> key.length() > LONGEST_KEY)) {
                return bytes("CLIENT_ERROR key too long\r\n");
            }
            job = new Job(keys, null, new CompletableFuture<>());
        } else if (words[0].equals("set") && words.length >= 5) {
            if (!words[4].matches("\\d{1,9}")) return bytes("CLIENT_ERROR bad command line format\r\n");
            int length = Integer.parseInt(words[4]);
            // Its data must not be taken for commands, nor for memory: hang up instead.
            if (length > LARGEST_VALUE) throw new IOException("value too large");
            byte[] data = in.readNBytes(length + 2);
            if (data.length < length + 2) throw new EOFException("hung up in the middle of a set");
            if (data[length] != '\r' || data[length + 1] != '\n') {
                return bytes("CLIENT_ERROR bad data chunk\r\n");
            }
            if (words[1].length() > LONGEST_KEY) return bytes("CLIENT_ERROR key too long\r\n");
            byte[] line = bytes(String.join(" ", Arrays.copyOf(words, 5)) + "\r\n");
            job = new Job(List.of(), concat(line, data), new CompletableFuture<>());
        } else {
            return bytes("ERROR\r\n");
        }
        queue.put(job);
        return job.reply.join();
    }

    /** Takes one job after the other, and returns to the queue when its reply is complete. */
    static class Worker implements Runnable {
        final boolean sharded;
        final List<Server> servers = new ArrayList<>();
        int next; // server for the next get

        Worker(int number, boolean sharded, List<String> addresses) {
            this.sharded = sharded;
            this.next = number % addresses.size(); // not all workers begin with the same server
            for (String address : addresses) servers.add(new Server(address));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Job job = queue.take();
                    job.reply.complete(job.isSet() ? set(job.request) : get(job.keys));
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }

        /** Sets at all servers, so that each can answer any get; STORED if all say so. */
        byte[] set(byte[] request) {
            for (Server server : servers) server.send(request); // all work at the same time
            String reply = "STORED";
            for (Server server : servers) {
                String answer = server.receiveLine();
                if (!answer.equals("STORED")) reply = answer; // but every answer must be read
            }
            return bytes(reply + "\r\n");
        }

        /** Gets from the next server, or an equal part of the keys from each. */
        byte[] get(List<String> keys) {
            int parts = sharded ? Math.min(keys.size(), servers.size()) : 1;
            for (int part = 0; part < parts; part++) {
                int begin = part * keys.size() / parts, end = (part + 1) * keys.size() / parts;
                serverOf(part).send(bytes("get " + String.join(" ", keys.subList(begin, end)) + "\r\n"));
            }
            ByteArrayOutputStream values = new ByteArrayOutputStream();
            String error = null;
            for (int part = 0; part < parts; part++) {
                String end = serverOf(part).receiveValues(values);
                if (!end.equals("END")) error = end;
            }
            next = (next + parts) % servers.size();
            return error != null ? bytes(error + "\r\n") : concat(values.toByteArray(), bytes("END\r\n"));
        }

        Server serverOf(int part) {
            return servers.get((next + part) % servers.size());
        }
    }

    /** A worker's connection to a server, made when it is needed, and made anew after it broke. */
    static class Server {
        final String host;
        final int port;
        Socket socket; // null while there is no connection
        InputStream in;

        Server(String address) {
            this.host = address.substring(0, address.lastIndexOf(':'));
            this.port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }

        /** Sends; if that fails, it is what follows, receiving, that tells. */
        void send(byte[] request) {
            try {
                if (socket == null) {
                    socket = new Socket();
                    socket.connect(new InetSocketAddress(host, port), TIMEOUT_MS);
                    socket.setTcpNoDelay(true);
                    socket.setSoTimeout(TIMEOUT_MS);
                    in = new BufferedInputStream(socket.getInputStream());
                }
                socket.getOutputStream().write(request);
            } catch (IOException down) {
                disconnect();
            }
        }

        String receiveLine() {
            return receiveValues(null);
        }

        /** Copies values as they are; returns the line after them, END or an error. */
        String receiveValues(ByteArrayOutputStream values) {
            try {
                if (socket == null) throw new IOException("not connected");
                while (true) {
                    String line = readLine(in, LONGEST_LINE);
                    if (!line.startsWith("VALUE ")) return line;
                    int length = Integer.parseInt(line.split(" ")[3]);
                    byte[] data = in.readNBytes(length + 2);
                    if (data.length < length + 2) throw new EOFException("hung up in the middle of a value");
                    values.writeBytes(bytes(line + "\r\n"));
                    values.writeBytes(data);
                }
            } catch (IOException down) {
                disconnect(); // a late reply must not be taken for that to the next request
                return "SERVER_ERROR " + host + ":" + port + " is down";
            }
        }

        void disconnect() {
            try {
                if (socket != null) socket.close();
            } catch (IOException gone) {
                // As was wanted.
            }
            socket = null;
        }
    }

    /** Reads up to the end of a line, which is not returned. */
    static String readLine(InputStream in, int longest) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.size() == longest) throw new EOFException("no end of line");
            line.write(next);
        }
        return line.toString(ISO_8859_1).stripTrailing(); // a character for each byte: none is lost
    }

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
