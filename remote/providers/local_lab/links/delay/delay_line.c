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
#include "port.h"
#include "switch_core.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
    unsigned taken[MAX_PORTS]; /* frames of each port that the batch points into */
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
    for (int i = 0; i < num_ports; i++) {
        port_release(&ports[i], batch.taken[i]);
        batch.taken[i] = 0;
    }
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

/* What a message takes of its sender's processor where it is alone; 0: it needs none. */
static uint64_t alone_ns(const struct frame *frame, int port)
{
    const struct processor *processor = &shared->settings[port].processor;
    size_t bytes = frame->bytes - (size_t)(frame->destination - frame->data);
    if (!processor->reply_ns || !ends_message(frame->destination, bytes))
        return 0;
    int to = stations_find(&stations, frame->destination);
    if (to == CONTROL || to == EVERYWHERE)
        return 0;
    return to < port ? processor->reply_ns : processor->forward_ns;
}

/* How many messages wait at a port, from that which comes `ahead` frames after the oldest on. */
static unsigned waiting(int port, unsigned ahead, uint64_t now)
{
    unsigned count = 1;
    struct frame frame;
    while (port_peek(&ports[port], ++ahead, &frame) && through_network(&frame, port, now) <= now)
        count += alone_ns(&frame, port) > 0;
    return count;
}

/* When a frame goes that comes `ahead` frames after the oldest. `*free` is when the processor has
 * served what is before it, and then when it has served this one. */
static uint64_t due_at(const struct frame *frame, int port, unsigned ahead, uint64_t now,
                       uint64_t *free)
{
    uint64_t due = through_network(frame, port, now), alone = alone_ns(frame, port);
    if (!alone)
        return due;
    double exponent = shared->settings[port].processor.exponent;
    unsigned count = exponent > 0 ? waiting(port, ahead, due > now ? due : now) : 1;
    return *free = served_ns(due, *free, service_ns(alone, exponent, count), now);
}

static void send_what_is_due(uint64_t now)
{
    for (int i = 0; i < num_ports; i++) {
        struct frame frame;
        uint64_t free = free_ns[i];
        while (port_peek(&ports[i], 0, &frame)
               && is_due(due_at(&frame, i, 0, now, &free), now, shared->coalesce_ns)) {
            free_ns[i] = free;
            shared->frames++;
            if (frame.whole)
                forward(&frame, i);
            else
                shared->refused++;
            port_take(&ports[i]);
            batch.taken[i]++;
        }
    }
    send_batch();
}

static uint64_t least_delay_ns(void)
{
    uint64_t least = NEVER;
    for (int i = CONTROL + 1; i < num_ports; i++)
        if (shared->settings[i].delay_ns < least)
            least = shared->settings[i].delay_ns;
    return least;
}

static uint64_t next_departure(uint64_t now)
{
    struct departure departure = NO_DEPARTURE;
    struct frame frame;
    for (int i = 0; i < num_ports; i++) {
        uint64_t free = free_ns[i];
        if (port_peek(&ports[i], 0, &frame)) {
            uint64_t due = due_at(&frame, i, 0, now, &free);
            if (due < departure.first_ns)
                departure.first_ns = departure.last_ns = due;
        }
    }
    for (int i = 0; i < num_ports; i++) {
        uint64_t free = free_ns[i];
        for (unsigned ahead = 0; port_peek(&ports[i], ahead, &frame); ahead++) {
            uint64_t due = due_at(&frame, i, ahead, now, &free);
            if (due > departure.first_ns + shared->coalesce_ns)
                break;
            if (due > departure.last_ns)
                departure.last_ns = due;
        }
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

/* Late wake-ups are lateness of frames. Real time is refused to some control groups. */
static void be_prompt(void)
{
    struct sched_param priority = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &priority))
        setpriority(PRIO_PROCESS, 0, -20);
    prctl(PR_SET_TIMERSLACK, 1UL);
}

static void note_process(const char *path)
{
    char stat[1024];
    int from = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t bytes = from < 0 || to < 0 ? -1 : read(from, stat, sizeof stat);
    if (bytes < 0 || write(to, stat, (size_t)bytes) != bytes)
        err(EXIT_FAILURE, "%s", path);
    close(from);
    close(to);
}

/* Frames wait in the rings by now. The parent ends when the child has noted itself in `path`; what
 * fails until then is seen by whoever started this. */
static void go_to_background(const char *path)
{
    int ready[2];
    char byte = 0;
    if (pipe(ready))
        err(EXIT_FAILURE, "pipe");
    pid_t child = fork();
    if (child < 0)
        err(EXIT_FAILURE, "fork");
    if (child) {
        close(ready[1]);
        _exit(read(ready[0], &byte, 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (setsid() < 0 || chdir("/"))
        err(EXIT_FAILURE, "background");
    be_prompt();
    note_process(path);
    int null = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; stream++)
        if (dup2(null, stream) < 0)
            _exit(EXIT_FAILURE);
    close(null);
    close(ready[0]);
    if (write(ready[1], &byte, 1) != 1)
        _exit(EXIT_FAILURE);
    close(ready[1]);
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
