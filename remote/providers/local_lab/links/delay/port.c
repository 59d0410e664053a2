#include "port.h"

#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define NS_PER_S 1000000000ULL
#define BLOCK_BYTES (64 * FRAME_BYTES)
#define SEND_BUFFER_BYTES (16 * 1024 * 1024)

static void set(int fd, int level, int option, int value, const char *what)
{
    if (setsockopt(fd, level, option, &value, sizeof value))
        err(EXIT_FAILURE, "%s", what);
}

static struct tpacket2_hdr *slot(const struct port *port, unsigned number)
{
    return (struct tpacket2_hdr *)(port->ring + (size_t)(number % RING_FRAMES) * FRAME_BYTES);
}

void port_open(struct port *port, const char *device)
{
    port->device = (int)if_nametoindex(device);
    if (!port->device)
        err(EXIT_FAILURE, "no device %s", device);
    /* Protocol 0: nothing is received before the ring is there and the device is chosen. */
    port->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (port->fd < 0)
        err(EXIT_FAILURE, "packet socket");
    set(port->fd, SOL_PACKET, PACKET_VERSION, TPACKET_V2, "PACKET_VERSION");
    set(port->fd, SOL_PACKET, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    set(port->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING");
    struct tpacket_req ring = {
        .tp_block_size = BLOCK_BYTES,
        .tp_block_nr = RING_FRAMES * FRAME_BYTES / BLOCK_BYTES,
        .tp_frame_size = FRAME_BYTES,
        .tp_frame_nr = RING_FRAMES,
    };
    if (setsockopt(port->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring))
        err(EXIT_FAILURE, "PACKET_RX_RING of %s", device);
    port->ring = mmap(NULL, (size_t)RING_FRAMES * FRAME_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                      port->fd, 0);
    if (port->ring == MAP_FAILED)
        err(EXIT_FAILURE, "ring of %s", device);
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = port->device};
    if (bind(port->fd, (struct sockaddr *)&address, sizeof address))
        err(EXIT_FAILURE, "bind to %s", device);
}

bool port_peek(const struct port *port, unsigned ahead, struct frame *frame)
{
    const struct tpacket2_hdr *header = slot(port, port->next + ahead);
    if (ahead >= RING_FRAMES || !(__atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
        return false;
    const uint8_t *ethernet = (const uint8_t *)header + header->tp_mac;
    frame->data = ethernet - sizeof(struct virtio_net_hdr);
    frame->bytes = header->tp_snaplen + sizeof(struct virtio_net_hdr);
    frame->destination = ethernet;
    frame->source = ethernet + ETH_ALEN;
    frame->type = (uint16_t)(ethernet[2 * ETH_ALEN] << 8 | ethernet[2 * ETH_ALEN + 1]);
    frame->arrived_ns = header->tp_sec * NS_PER_S + header->tp_nsec;
    frame->whole = header->tp_snaplen == header->tp_len;
    frame->taken = port->taken[(port->next + ahead) % RING_FRAMES];
    return true;
}

void port_take(struct port *port, unsigned ahead)
{
    port->taken[(port->next + ahead) % RING_FRAMES] = true;
}

void port_release(struct port *port)
{
    for (bool *taken; *(taken = &port->taken[port->next % RING_FRAMES]); *taken = false)
        __atomic_store_n(&slot(port, port->next++)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
}

uint64_t port_lost(const struct port *port)
{
    struct tpacket_stats stats;
    socklen_t size = sizeof stats;
    if (getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size))
        return 0;
    return stats.tp_drops;
}

int sender_open(void)
{
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); /* protocol 0: receives nothing */
    if (fd < 0)
        err(EXIT_FAILURE, "packet socket");
    set(fd, SOL_PACKET, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1, "PACKET_QDISC_BYPASS");
    int bytes = SEND_BUFFER_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes)) /* as much as anyone may have */
        set(fd, SOL_SOCKET, SO_SNDBUF, bytes, "SO_SNDBUF");
    return fd;
}
