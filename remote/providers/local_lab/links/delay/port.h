/* One network device of the switch as a ring of received frames, and the socket that sends them.
 *
 * The kernel writes each frame with its time stamp into the ring, packet(7) TPACKET_V2, with its
 * virtio header: a value of 4 KiB is one frame, its checksum never computed. A frame stays in the
 * ring until it has been sent on, so the ring is the delay line and nothing is copied here. */

#ifndef MWLAB_PORT_H
#define MWLAB_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_FRAMES 1024
#define FRAME_BYTES 8192 /* the devices' gso_max_size must be a little smaller */

struct port {
    int fd;
    int device; /* the kernel's index of it */
    uint8_t *ring;
    unsigned next;           /* the oldest frame not yet released */
    bool taken[RING_FRAMES]; /* of those from `next` on */
};

struct frame {
    const uint8_t *data; /* begins with the virtio header */
    size_t bytes;        /* with it */
    const uint8_t *destination;
    const uint8_t *source;
    uint16_t type; /* EtherType */
    uint64_t arrived_ns;
    bool whole; /* false: it did not fit the ring's frames */
    bool taken;
};

/* Open the ring of a device; on failure print why and exit. */
void port_open(struct port *port, const char *device);

/* Look at the frame that comes `ahead` frames after the oldest, taken or not; false if there is
 * none. */
bool port_peek(const struct port *port, unsigned ahead, struct frame *frame);

/* Take the frame that comes `ahead` frames after the oldest; it stays where it is, until release. */
void port_take(struct port *port, unsigned ahead);

/* Give frames back to the kernel, from the oldest on, as far as all have been taken. */
void port_release(struct port *port);

/* Frames that came while the ring was full, since this was last asked. */
uint64_t port_lost(const struct port *port);

/* Open the socket by which frames leave by any device; on failure print why and exit. */
int sender_open(void);

#endif
