/* A network switch that delays every frame: delay-line FILE PID_FILE CONTROL DEVICE...
 *
 * It connects the devices of its network namespace. A frame that enters by a DEVICE leaves the
 * delay of that device later, one that enters by CONTROL at once. Where the device's host has a
 * processor, messages wait for it after that, one for the other. Devices are in the order from
 * clients to servers, which tells replies from what is forwarded. It goes to the background when it is ready,
 * notes its line of /proc/PID/stat in PID_FILE, and runs until it is killed.
 *
 * FILE is shared memory: delays and processors, which may be changed at any time, and what was counted. */

#define _GNU_SOURCE
#include "background.h"
#include "port.h"
#include "switch_core.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_PORTS 256
#define CONTROL 0 /* the port of the machine itself */
#define BATCH 256
#define NS_PER_S 1000000000ULL
#define NEVER UINT64_MAX
#define IDLE_NS NS_PER_S /* how often counters are brought up to date when nothing happens */

/* What remote/providers/local_lab/links/delay_line.py reads and writes; every field is 8 bytes. */
struct shared {
    uint64_t frames;  /* received */
    uint64_t sent;    /* more than received where a frame goes to all */
    uint64_t lost;    /* came while a ring was full */
    uint64_t refused; /* did not fit, or a device would not take them */
    uint64_t wakeups;
    uint64_t coalesce_ns; /* frames due this soon go together with one that is due */
    struct {              /* of what enters by each port, all 0 for CONTROL; written from outside */
        uint64_t delay_ns;
        struct processor processor;
    } settings[];
};

static struct port ports[MAX_PORTS];
static int num_ports;
static struct stations stations;
static uint64_t free_ns[MAX_PORTS]; /* when the processor of each port has served what left last */
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
        (struct sockaddr_ll){.sll_family = AF_PACKET, .sll_ifindex = ports[port].device};
    batch.messages[i].msg_hdr = (struct msghdr){.msg_name = &batch.addresses[i],
                                                .msg_namelen = sizeof batch.addresses[i],
                                                .msg_iov = &batch.data[i],
                                                .msg_iovlen = 1};
}

static void forward(const struct frame *frame, int from)
{
    if (batch.count + (unsigned)num_ports > BATCH)
        send_batch();
    stations_learn(&stations, frame->source, from);
    int to = stations_find(&stations, frame->destination);
    for (int i = 0; i < num_ports; i++)
        if (i != from && (to == i || to == EVERYWHERE))
            add(frame, i);
}

/* Address resolution is not delayed: in clouds the hypervisor answers it. */
static uint64_t through_network(const struct frame *frame, int port, uint64_t now)
{
    bool at_once = frame->type == ETH_P_ARP;
    return due_ns(frame->arrived_ns, at_once ? 0 : shared->settings[port].delay_ns, now);
}

enum message { NONE, REPLY, FORWARDED };

/* What a frame is to the processor of its port's host. */
static enum message message_of(const struct frame *frame, int port)
{
    size_t bytes = frame->bytes - (size_t)(frame->destination - frame->data);
    if (!shared->settings[port].processor.reply_ns || !ends_message(frame->destination, bytes))
        return NONE;
    int to = stations_find(&stations, frame->destination);
    if (to == CONTROL || to == EVERYWHERE)
        return NONE;
    return to < port ? REPLY : FORWARDED;
}

/* How many replies wait at a port, from that which comes `ahead` frames after the oldest on. */
static unsigned waiting(int port, unsigned ahead, uint64_t now)
{
    unsigned count = 1;
    struct frame frame;
    while (port_peek(&ports[port], ++ahead, &frame) && through_network(&frame, port, now) <= now)
        count += !frame.taken && message_of(&frame, port) == REPLY;
    return count;
}

/* When a frame goes that comes `ahead` frames after the oldest, and, in `*free`, when the processor
 * has served it and what is before it. */
static uint64_t due_at(const struct frame *frame, int port, unsigned ahead, uint64_t now,
                       uint64_t *free)
{
    const struct processor *processor = &shared->settings[port].processor;
    uint64_t due = through_network(frame, port, now);
    if (message_of(frame, port) != REPLY)
        return due;
    double exponent = processor->exponent;
    unsigned count = exponent > 0 ? waiting(port, ahead, due > now ? due : now) : 1;
    return *free = served_ns(due, *free, service_ns(processor->reply_ns, exponent, count), now);
}

/* What is forwarded takes its time from the replies that wait. */
static void let_go(const struct frame *frame, int port, uint64_t due, uint64_t *free, uint64_t now)
{
    enum message message = message_of(frame, port);
    if (message == REPLY)
        free_ns[port] = *free;
    if (message == FORWARDED) {
        uint64_t forward_ns = shared->settings[port].processor.forward_ns;
        free_ns[port] = served_ns(due, free_ns[port], forward_ns, now);
        *free += forward_ns;
    }
    shared->frames++;
    if (frame->whole)
        forward(frame, port);
    else
        shared->refused++;
}

static void send_what_is_due(uint64_t now)
{
    uint64_t early_ns = shared->coalesce_ns;
    for (int i = 0; i < num_ports; i++) {
        struct frame frame;
        uint64_t free = free_ns[i];
        for (unsigned ahead = 0; port_peek(&ports[i], ahead, &frame); ahead++) {
            if (frame.taken)
                continue;
            if (!is_due(through_network(&frame, i, now), now, early_ns))
                break;
            uint64_t due = due_at(&frame, i, ahead, now, &free);
            if (!is_due(due, now, early_ns))
                continue; /* what follows may be forwarded before it */
            let_go(&frame, i, due, &free, now);
            port_take(&ports[i], ahead);
        }
    }
    send_batch();
    for (int i = 0; i < num_ports; i++)
        port_release(&ports[i]);
}

static uint64_t least_delay_ns(void)
{
    uint64_t least = NEVER;
    for (int i = CONTROL + 1; i < num_ports; i++)
        if (shared->settings[i].delay_ns < least)
            least = shared->settings[i].delay_ns;
    return least;
}

/* The first due time of the frames of a port that are due before `before_ns`, or the last. */
static uint64_t due_before(int port, uint64_t before_ns, bool last, uint64_t now)
{
    struct frame frame;
    uint64_t found = NEVER, free = free_ns[port];
    for (unsigned ahead = 0; port_peek(&ports[port], ahead, &frame); ahead++) {
        if (frame.taken)
            continue;
        if (through_network(&frame, port, now) >= before_ns)
            break;
        uint64_t due = due_at(&frame, port, ahead, now, &free);
        if (due < before_ns && (found == NEVER || (last ? due > found : due < found)))
            found = due;
    }
    return found;
}

static uint64_t next_departure(uint64_t now)
{
    struct departure departure = NO_DEPARTURE;
    for (int i = 0; i < num_ports; i++) {
        uint64_t first = due_before(i, departure.first_ns, false, now);
        if (first < departure.first_ns)
            departure.first_ns = departure.last_ns = first;
    }
    if (departure.first_ns != NEVER)
        for (int i = 0; i < num_ports; i++) {
            uint64_t last = due_before(i, departure.first_ns + shared->coalesce_ns + 1, true, now);
            if (last != NEVER && last > departure.last_ns)
                departure.last_ns = last;
        }
    return wake_up_ns(&departure, now, least_delay_ns());
}

/* Sleep until the departure, or until a frame comes by CONTROL, or, if none is held, by any port. */
static void sleep_until(uint64_t departure)
{
    static struct pollfd polled[MAX_PORTS];
    static uint64_t lateness_ns;
    bool idle = departure == NEVER;
    for (int i = 0; i < num_ports; i++)
        polled[i] = (struct pollfd){.fd = ports[i].fd, .events = POLLIN};
    uint64_t now = now_ns(), wanted = idle ? now + IDLE_NS : departure - lateness_ns;
    uint64_t left = wanted > now ? wanted - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
                               .tv_nsec = (long)(left % NS_PER_S)};
    int awakened_by = ppoll(polled, idle ? (nfds_t)num_ports : CONTROL + 1, &timeout, NULL);
    shared->wakeups++;
    if (!idle && left && !awakened_by)
        lateness_ns = average_lateness(lateness_ns, wanted, now_ns(), shared->coalesce_ns / 2);
    if (idle)
        for (int i = 0; i < num_ports; i++)
            shared->lost += port_lost(&ports[i]);
}

static void open_shared(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        err(EXIT_FAILURE, "%s", path);
    size_t bytes = sizeof *shared + (size_t)num_ports * sizeof shared->settings[0];
    shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        err(EXIT_FAILURE, "%s", path);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 3 > MAX_PORTS)
        errx(EXIT_FAILURE, "usage: delay-line FILE PID_FILE CONTROL DEVICE...");
    num_ports = argc - 3;
    open_shared(argv[1]);
    for (int i = 0; i < num_ports; i++)
        port_open(&ports[i], argv[i + 3]);
    batch.fd = sender_open();
    go_to_background(argv[2]);
    for (;;) {
        uint64_t now = now_ns();
        send_what_is_due(now);
        sleep_until(next_departure(now));
    }
}
