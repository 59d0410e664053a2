/* A network switch that delays every frame: delay-line FILE PID_FILE CONTROL DEVICE...
 *
 * It connects the devices of its network namespace. A frame that enters by a DEVICE leaves the
 * delay of that device later, one that enters by CONTROL at once; where the device's host has a
 * processor, messages wait for that, too. Devices are in the order from clients to servers, which
 * tells replies from what is forwarded. It goes to the background when it is ready, notes its line
 * of /proc/PID/stat in PID_FILE, and runs until it is killed.
 *
 * FILE is shared memory: delays and processors, which may be changed at any time, and counters. */

#define _GNU_SOURCE
#include "background.h"
#include "line.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 256
#define NS_PER_S 1000000000ULL
#define IDLE_NS NS_PER_S /* how often counters are brought up to date when nothing happens */

/* What remote/providers/local_lab/links/delay_line.py reads and writes; every field is 8 bytes. */
struct shared {
    uint64_t frames;  /* received */
    uint64_t sent;    /* more than received where a frame goes to all */
    uint64_t lost;    /* came while a ring was full */
    uint64_t refused; /* did not fit, or a device would not take them */
    uint64_t wakeups;
    uint64_t coalesce_ns; /* frames due this soon go together with one that is due */
    struct setting settings[]; /* of what enters by each port; written from outside */
};

static struct line line;
static struct shared *shared;

static struct {
    int fd;
    unsigned count;
    struct mmsghdr messages[BATCH];
    struct iovec data[BATCH];
    struct sockaddr_ll addresses[BATCH];
} batch;

static uint64_t now_ns(void)
{
    struct timespec now; /* the clock of the rings' time stamps */
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void send_batch(void)
{
    unsigned done = 0;
    while (done < batch.count) {
        int sent = sendmmsg(batch.fd, batch.messages + done, batch.count - done, MSG_DONTWAIT);
        if (sent > 0) {
            done += (unsigned)sent;
            shared->sent += (unsigned)sent;
        } else if (errno != EINTR) { /* the first one cannot be sent, such as by a device that is down */
            done++;
            shared->refused++;
        }
    }
    batch.count = 0;
}

static void add(const struct frame *frame, int port)
{
    unsigned i = batch.count++;
    batch.data[i] = (struct iovec){.iov_base = (void *)frame->data, .iov_len = frame->bytes};
    batch.addresses[i] =
        (struct sockaddr_ll){.sll_family = AF_PACKET, .sll_ifindex = line.ports[port].device};
    batch.messages[i].msg_hdr = (struct msghdr){.msg_name = &batch.addresses[i],
                                                .msg_namelen = sizeof batch.addresses[i],
                                                .msg_iov = &batch.data[i],
                                                .msg_iovlen = 1};
}

static void forward(const struct frame *frame, int from)
{
    if (batch.count + (unsigned)line.num_ports > BATCH)
        send_batch();
    stations_learn(&line.stations, frame->source, from);
    int to = stations_find(&line.stations, frame->destination);
    for (int i = 0; i < line.num_ports; i++)
        if (i != from && (to == i || to == EVERYWHERE))
            add(frame, i);
}

static void let_go(const struct frame *frame, int from)
{
    shared->frames++;
    if (frame->whole)
        forward(frame, from);
    else
        shared->refused++;
}

static void send_what_is_due(uint64_t now)
{
    line_take(&line, now, shared->coalesce_ns, let_go);
    send_batch();
    for (int i = 0; i < line.num_ports; i++)
        port_release(&line.ports[i]);
}

/* Sleep until the departure, or until a frame comes by CONTROL, or, if none is held, by any port. */
static void sleep_until(uint64_t departure)
{
    static struct pollfd polled[MAX_PORTS];
    static uint64_t lateness_ns;
    bool idle = departure == NEVER;
    for (int i = 0; i < line.num_ports; i++)
        polled[i] = (struct pollfd){.fd = line.ports[i].fd, .events = POLLIN};
    uint64_t now = now_ns(), wanted = idle ? now + IDLE_NS : departure - lateness_ns;
    uint64_t left = wanted > now ? wanted - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
                               .tv_nsec = (long)(left % NS_PER_S)};
    int awakened_by = ppoll(polled, idle ? (nfds_t)line.num_ports : CONTROL + 1, &timeout, NULL);
    shared->wakeups++;
    if (!idle && left && !awakened_by)
        lateness_ns = average_lateness(lateness_ns, wanted, now_ns(), shared->coalesce_ns / 2);
    if (idle)
        for (int i = 0; i < line.num_ports; i++)
            shared->lost += port_lost(&line.ports[i]);
}

static void open_shared(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        err(EXIT_FAILURE, "%s", path);
    size_t bytes = sizeof *shared + (size_t)line.num_ports * sizeof shared->settings[0];
    shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        err(EXIT_FAILURE, "%s", path);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 3 > MAX_PORTS)
        errx(EXIT_FAILURE, "usage: delay-line FILE PID_FILE CONTROL DEVICE...");
    line.num_ports = argc - 3;
    open_shared(argv[1]);
    line.settings = shared->settings;
    for (int i = 0; i < line.num_ports; i++)
        port_open(&line.ports[i], argv[i + 3]);
    batch.fd = sender_open();
    go_to_background(argv[2]);
    for (;;) {
        uint64_t now = now_ns();
        send_what_is_due(now);
        sleep_until(line_next(&line, now, shared->coalesce_ns));
    }
}
