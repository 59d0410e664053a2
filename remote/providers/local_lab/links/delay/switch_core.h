/* What the switch decides, without any device: where a frame goes and when. */

#ifndef MWLAB_SWITCH_CORE_H
#define MWLAB_SWITCH_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAC_BYTES 6
#define MAX_STATIONS 256 /* MAC addresses that are remembered */
#define CLOCK_STEP_NS 1000000000ULL
#define EVERYWHERE (-1)  /* instead of a port: to all ports but the frame's own */

/* Which port each MAC address was last seen at. */
struct stations {
    uint64_t mac[MAX_STATIONS];
    int port[MAX_STATIONS];
    int count;
    int next; /* to be forgotten when the table is full */
};

/* Note that `mac` (6 bytes) sends from `port`. Group addresses, which nobody has, are ignored. */
void stations_learn(struct stations *stations, const uint8_t *mac, int port);

/* The port of `mac`, EVERYWHERE for group addresses and for those never seen. */
int stations_find(const struct stations *stations, const uint8_t *mac);

/* When a frame is due that came in at `arrived_ns`. One from the future, which tells that the
 * machine's clock was set back by more than CLOCK_STEP_NS, goes at once instead of waiting for it. */
uint64_t due_ns(uint64_t arrived_ns, uint64_t delay_ns, uint64_t now_ns);

/* What messages take of their sender's processor; all 0: it has none. */
struct processor {
    uint64_t reply_ns;   /* those towards the clients, which wait for each other, where one is alone */
    uint64_t forward_ns; /* those towards the servers, which go first */
    double exponent;     /* n that wait take n to the power of minus this each */
};

/* Whether a frame of so many bytes, from its Ethernet header on, ends a message: TCP marks it. */
bool ends_message(const uint8_t *ethernet, size_t bytes);

/* How long a message takes that takes `alone_ns` alone, where `waiting` wait, itself with them. */
uint64_t service_ns(uint64_t alone_ns, double exponent, unsigned waiting);

/* When a message is served that came at `due_ns` to a processor that is free at `free_ns`. That lies
 * far ahead only if the machine's clock was set back, and counts as now then. */
uint64_t served_ns(uint64_t due_ns, uint64_t free_ns, uint64_t service_ns, uint64_t now_ns);

/* The frames that will go together: those due within `coalesce_ns` of the first. */
struct departure {
    uint64_t first_ns;
    uint64_t last_ns;
};

/* No frame yet. */
#define NO_DEPARTURE ((struct departure){.first_ns = UINT64_MAX})

/* When to send them: in the middle, so that frames are late as often as early and a single one is
 * on time. UINT64_MAX if there are none. */
uint64_t departure_ns(const struct departure *departure);

/* When to look again: at the departure, or when a frame that comes from now on, unseen, may be due
 * before it, at the port of the least delay. UINT64_MAX if no frame is held. */
uint64_t wake_up_ns(const struct departure *departure, uint64_t now_ns, uint64_t least_delay_ns);

/* Whether a frame goes at `now_ns`, at most half of `coalesce_ns` too early. */
bool is_due(uint64_t due_ns, uint64_t now_ns, uint64_t coalesce_ns);

/* How late timers wake this process on average, the last one counting an eighth. It asks for so much
 * less; `most_ns`, because frames that are further from due would not go when it wakes. */
uint64_t average_lateness(uint64_t average_ns, uint64_t wanted_ns, uint64_t now_ns,
                          uint64_t most_ns);

#endif
