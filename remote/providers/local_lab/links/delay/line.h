/* The frames that wait at all ports of the switch: what each waits for, and when it goes.
 *
 * A frame waits for the delay of its port, and a reply then for the processor of its sender's host,
 * one for the other. Frames stay in the rings, from which they may be taken in any order. */

#ifndef MWLAB_LINE_H
#define MWLAB_LINE_H

#include "port.h"
#include "switch_core.h"

#define MAX_PORTS 256
#define CONTROL 0 /* the port of the machine itself */
#define NEVER UINT64_MAX

/* What makes the frames of a port wait, all 0 for CONTROL; every field is 8 bytes. */
struct setting {
    uint64_t delay_ns;
    struct processor processor;
};

struct line {
    struct port ports[MAX_PORTS];
    int num_ports;
    struct stations stations;
    const struct setting *settings;
    uint64_t free_ns[MAX_PORTS]; /* when the processor of each port has served what went last */
};

/* Take each frame that is due at `now_ns`, at most half of `coalesce_ns` too early, and give it to
 * `let_go`, the frames of a port in order, but those that are forwarded before replies that wait. */
void line_take(struct line *line, uint64_t now_ns, uint64_t coalesce_ns,
               void (*let_go)(const struct frame *frame, int port));

/* When the next frames are to be taken, see wake_up_ns; those due within `coalesce_ns` together. */
uint64_t line_next(const struct line *line, uint64_t now_ns, uint64_t coalesce_ns);

#endif
