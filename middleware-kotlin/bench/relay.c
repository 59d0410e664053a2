/*
 * The least that a pipelining memcached proxy must do, as a yardstick: one thread, one epoll, one shared server connection.
 *
 *     relay <listen port> <server port> [each]
 *
 * With `each`, what a proxy does that sends one request after the other: every client has a server connection of its own, and bytes
 * are handed on as they come, unread. Without it, requests are read whole, copied behind each other and sent to the server once a turn or every BATCH requests; replies come back
 * in that order. It has no job queue, no workers, no instrumentation, no routing, no time limits and no answer to errors: a client
 * that hangs up is forgotten, any other surprise ends it. It understands `get` and `set` with well-formed lines only.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CLIENT_BYTES = 1 << 16, /* the largest request */
    SERVER_BYTES = 1 << 23,
    MOST_CLIENTS = 1 << 16,
    MOST_WAITING = 1 << 16, /* a power of two: requests under way, one a client */
    EVENTS = 512,
    BATCH = 64,
};

struct buffer {
    char *bytes;
    int used;
};

static struct buffer clients[MOST_CLIENTS]; /* by file descriptor: what a client has sent of its next request */
static struct buffer to_server, from_server;
static int waiting[MOST_WAITING]; /* the clients of the requests under way, a ring */
static unsigned oldest, newest;
static int server, poller;
static struct sockaddr_in server_address;
static int is_each;
static int peers[MOST_CLIENTS]; /* with `each`: by file descriptor, the other end */

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static void prepare(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void watch(int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) give_up("epoll_ctl");
}

/* Writes everything, waiting for room; a client that is gone takes nothing. */
static void write_all(int fd, const char *bytes, int length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = fd, .events = POLLOUT};
            poll(&room, 1, -1);
            continue;
        }
        if (written < 0) return;
        bytes += written;
        length -= written;
    }
}

static void flush_to_server(void) {
    write_all(server, to_server.bytes, to_server.used);
    to_server.used = 0;
}

/* The number that ends the line which ends at `line_feed`. */
static int last_number(const char *line_feed) {
    const char *digit = line_feed - 1;
    while (digit[-1] != ' ') digit--;
    return atoi(digit);
}

/* Length of the request at `bytes`, 0 if it is incomplete. */
static int request_length(const char *bytes, int length) {
    const char *line_feed = memchr(bytes, '\n', length);
    if (!line_feed) return 0;
    int needed = line_feed - bytes + 1;
    if (bytes[0] == 's') needed += last_number(line_feed) + 2;
    return needed <= length ? needed : 0;
}

/* Length of the reply at `bytes`, 0 if it is incomplete. */
static int reply_length(const char *bytes, int length) {
    int line = 0;
    while (line < length) {
        const char *line_feed = memchr(bytes + line, '\n', length - line);
        if (!line_feed) return 0;
        int next = line_feed - bytes + 1;
        if (bytes[line] != 'V') return next;
        line = next + last_number(line_feed) + 2;
    }
    return 0;
}

static int connect_to_server(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&server_address, sizeof server_address) < 0) give_up("connect");
    prepare(fd);
    return fd;
}

static void drop(struct buffer *buffer, int length) {
    memmove(buffer->bytes, buffer->bytes + length, buffer->used - length);
    buffer->used -= length;
}

static void accept_clients(int listener) {
    int fd;
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        if (fd >= MOST_CLIENTS) give_up("too many clients");
        prepare(fd);
        if (is_each) {
            int own = connect_to_server();
            peers[fd] = own;
            peers[own] = fd;
            watch(own);
        }
        if (!clients[fd].bytes) clients[fd].bytes = malloc(CLIENT_BYTES);
        clients[fd].used = 0;
        watch(fd);
    }
}

/* Reads replies and hands each to the client whose turn it is. */
static void read_server(void) {
    ssize_t got = read(server, from_server.bytes + from_server.used, SERVER_BYTES - from_server.used);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) give_up("the server is gone");
    from_server.used += got;
    int start = 0, length;
    while ((length = reply_length(from_server.bytes + start, from_server.used - start)) > 0) {
        write_all(waiting[oldest++ % MOST_WAITING], from_server.bytes + start, length);
        start += length;
    }
    drop(&from_server, start);
}

/* Reads requests, and adds the whole ones to what goes to the server. */
static void read_client(int fd, int *requests) {
    struct buffer *client = &clients[fd];
    ssize_t got = read(fd, client->bytes + client->used, CLIENT_BYTES - client->used);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
        close(fd);
        return;
    }
    client->used += got;
    int length;
    while ((length = request_length(client->bytes, client->used)) > 0) {
        memcpy(to_server.bytes + to_server.used, client->bytes, length);
        to_server.used += length;
        waiting[newest++ % MOST_WAITING] = fd;
        drop(client, length);
        if (++*requests % BATCH == 0) flush_to_server();
    }
}

/* Writes what there is to read to the other end. */
static void hand_on(int fd) {
    int peer = peers[fd];
    ssize_t got = read(fd, to_server.bytes, SERVER_BYTES);
    if (got < 0 && errno == EAGAIN) return;
    if (got > 0) {
        write_all(peer, to_server.bytes, got);
        return;
    }
    if (!peer) return; /* was closed in this turn */
    peers[fd] = peers[peer] = 0;
    close(fd);
    close(peer);
}

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int listen_on(const char *port) {
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = loopback(port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) give_up("bind");
    if (listen(listener, 4096) < 0) give_up("listen");
    fcntl(listener, F_SETFL, O_NONBLOCK);
    return listener;
}

int main(int count, char **words) {
    is_each = count == 4 && strcmp(words[3], "each") == 0;
    if (count != 3 && !is_each) {
        fprintf(stderr, "usage: relay <listen port> <server port> [each]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int listener = listen_on(words[1]);
    server_address = loopback(words[2]);
    server = connect_to_server();
    to_server.bytes = malloc(SERVER_BYTES);
    from_server.bytes = malloc(SERVER_BYTES);
    poller = epoll_create1(0);
    watch(listener);
    watch(server);
    for (;;) {
        struct epoll_event ready[EVENTS];
        int requests = 0, events = epoll_wait(poller, ready, EVENTS, -1);
        for (int i = 0; i < events; i++) {
            int fd = ready[i].data.fd;
            if (fd == listener) accept_clients(fd);
            else if (fd == server) read_server();
            else if (is_each) hand_on(fd);
            else read_client(fd, &requests);
        }
        flush_to_server();
    }
}
