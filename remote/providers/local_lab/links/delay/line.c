#include "line.h"

#include <linux/if_ether.h>

enum message { NONE, REPLY, FORWARDED };

/* What a frame is to the processor of its port's host. */
static enum message message_of(const struct line *line, const struct frame *frame, int port)
{
    size_t bytes = frame->bytes - (size_t)(frame->destination - frame->data);
    if (!line->settings[port].processor.reply_ns || !ends_message(frame->destination, bytes))
        return NONE;
    int to = stations_find(&line->stations, frame->destination);
    if (to == CONTROL || to == EVERYWHERE)
        return NONE;
    return to < port ? REPLY : FORWARDED;
}

/* Address resolution is not delayed: in clouds the hypervisor answers it. */
static uint64_t through_network(const struct line *line, const struct frame *frame, int port,
                                uint64_t now)
{
    bool at_once = frame->type == ETH_P_ARP;
    return due_ns(frame->arrived_ns, at_once ? 0 : line->settings[port].delay_ns, now);
}

/* How many replies wait at a port, from that which comes `ahead` frames after the oldest on. */
static unsigned waiting(const struct line *line, int port, unsigned ahead, uint64_t now)
{
    unsigned count = 1;
    struct frame frame;
    while (port_peek(&line->ports[port], ++ahead, &frame)
           && through_network(line, &frame, port, now) <= now)
        count += !frame.taken && message_of(line, &frame, port) == REPLY;
    return count;
}

/* When a frame goes that comes `ahead` frames after the oldest, and, in `*free`, when the processor
 * has served it and what is before it. */
static uint64_t due_at(const struct line *line, const struct frame *frame, int port, unsigned ahead,
                       uint64_t now, uint64_t *free)
{
    const struct processor *processor = &line->settings[port].processor;
    uint64_t due = through_network(line, frame, port, now);
    if (message_of(line, frame, port) != REPLY)
        return due;
    double exponent = processor->exponent;
    unsigned count = exponent > 0 ? waiting(line, port, ahead, due > now ? due : now) : 1;
    return *free = served_ns(due, *free, service_ns(processor->reply_ns, exponent, count), now);
}

/* Note what a frame that goes took of its processor; what is forwarded takes it from replies. */
static void account(struct line *line, const struct frame *frame, int port, uint64_t due,
                    uint64_t now, uint64_t *free)
{
    uint64_t forward_ns = line->settings[port].processor.forward_ns;
    switch (message_of(line, frame, port)) {
    case REPLY:
        line->free_ns[port] = *free;
        break;
    case FORWARDED:
        line->free_ns[port] = served_ns(due, line->free_ns[port], forward_ns, now);
        *free += forward_ns;
        break;
    case NONE:
        break;
    }
}

void line_take(struct line *line, uint64_t now_ns, uint64_t coalesce_ns,
               void (*let_go)(const struct frame *frame, int port))
{
    for (int i = 0; i < line->num_ports; i++) {
        struct frame frame;
        uint64_t free = line->free_ns[i];
        for (unsigned ahead = 0; port_peek(&line->ports[i], ahead, &frame); ahead++) {
            if (frame.taken)
                continue;
            if (!is_due(through_network(line, &frame, i, now_ns), now_ns, coalesce_ns))
                break;
            uint64_t due = due_at(line, &frame, i, ahead, now_ns, &free);
            if (!is_due(due, now_ns, coalesce_ns))
                continue; /* what follows may be forwarded before it */
            account(line, &frame, i, due, now_ns, &free);
            let_go(&frame, i);
            port_take(&line->ports[i], ahead);
        }
    }
}

/* The first due time of the frames of a port that is before `before_ns`, or the last; NEVER. */
static uint64_t due_before(const struct line *line, int port, uint64_t before_ns, bool last,
                           uint64_t now)
{
    struct frame frame;
    uint64_t found = NEVER, free = line->free_ns[port];
    for (unsigned ahead = 0; port_peek(&line->ports[port], ahead, &frame); ahead++) {
        if (frame.taken)
            continue;
        if (through_network(line, &frame, port, now) >= before_ns)
            break;
        uint64_t due = due_at(line, &frame, port, ahead, now, &free);
        if (due < before_ns && (found == NEVER || !last || due > found))
            found = due;
        if (due < before_ns && !last)
            before_ns = due;
    }
    return found;
}

static uint64_t least_delay_ns(const struct line *line)
{
    uint64_t least = NEVER;
    for (int i = CONTROL + 1; i < line->num_ports; i++)
        if (line->settings[i].delay_ns < least)
            least = line->settings[i].delay_ns;
    return least;
}

uint64_t line_next(const struct line *line, uint64_t now_ns, uint64_t coalesce_ns)
{
    struct departure departure = NO_DEPARTURE;
    for (int i = 0; i < line->num_ports; i++) {
        uint64_t first = due_before(line, i, departure.first_ns, false, now_ns);
        if (first < departure.first_ns)
            departure.first_ns = departure.last_ns = first;
    }
    if (departure.first_ns != NEVER)
        for (int i = 0; i < line->num_ports; i++) {
            uint64_t together_ns = departure.first_ns + coalesce_ns + 1;
            uint64_t last = due_before(line, i, together_ns, true, now_ns);
            if (last != NEVER && last > departure.last_ns)
                departure.last_ns = last;
        }
    return wake_up_ns(&departure, now_ns, least_delay_ns(line));
}
