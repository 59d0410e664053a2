#include "switch_core.h"

#include <linux/if_ether.h>
#include <math.h>
#include <netinet/in.h>

#define IP_PROTOCOL 9 /* offsets in headers, in bytes */
#define TCP_FLAGS 13
#define TCP_BYTES 20 /* without options */
#define PUSH 0x08

static uint64_t as_number(const uint8_t *mac)
{
    uint64_t number = 0;
    for (int i = 0; i < MAC_BYTES; i++)
        number = number << 8 | mac[i];
    return number;
}

static bool is_group(const uint8_t *mac)
{
    return mac[0] & 1;
}

static int index_of(const struct stations *stations, uint64_t mac)
{
    for (int i = 0; i < stations->count; i++)
        if (stations->mac[i] == mac)
            return i;
    return -1;
}

void stations_learn(struct stations *stations, const uint8_t *mac, int port)
{
    if (is_group(mac))
        return;
    uint64_t number = as_number(mac);
    int i = index_of(stations, number);
    if (i < 0 && stations->count < MAX_STATIONS)
        i = stations->count++;
    if (i < 0) {
        i = stations->next;
        stations->next = (stations->next + 1) % MAX_STATIONS;
    }
    stations->mac[i] = number;
    stations->port[i] = port;
}

int stations_find(const struct stations *stations, const uint8_t *mac)
{
    int i = is_group(mac) ? -1 : index_of(stations, as_number(mac));
    return i < 0 ? EVERYWHERE : stations->port[i];
}

uint64_t due_ns(uint64_t arrived_ns, uint64_t delay_ns, uint64_t now_ns)
{
    return arrived_ns > now_ns + CLOCK_STEP_NS ? now_ns : arrived_ns + delay_ns;
}

bool ends_message(const uint8_t *ethernet, size_t bytes)
{
    const uint8_t *ip = ethernet + ETH_HLEN;
    if (bytes < ETH_HLEN + 20 || (ethernet[12] << 8 | ethernet[13]) != ETH_P_IP)
        return false;
    size_t header = 4 * (size_t)(ip[0] & 0x0f);
    return ip[IP_PROTOCOL] == IPPROTO_TCP && bytes >= ETH_HLEN + header + TCP_BYTES
        && ip[header + TCP_FLAGS] & PUSH;
}

uint64_t service_ns(uint64_t alone_ns, double exponent, unsigned waiting)
{
    return exponent > 0 ? (uint64_t)((double)alone_ns * pow(waiting, -exponent)) : alone_ns;
}

uint64_t served_ns(uint64_t due, uint64_t free, uint64_t service, uint64_t now_ns)
{
    if (free > now_ns + CLOCK_STEP_NS)
        free = now_ns;
    return (due > free ? due : free) + service;
}

uint64_t departure_ns(const struct departure *departure)
{
    if (departure->first_ns == UINT64_MAX)
        return UINT64_MAX;
    return departure->first_ns + (departure->last_ns - departure->first_ns) / 2;
}

uint64_t wake_up_ns(const struct departure *departure, uint64_t now_ns, uint64_t least_delay_ns)
{
    uint64_t held = departure_ns(departure);
    return held == UINT64_MAX || held < now_ns + least_delay_ns ? held : now_ns + least_delay_ns;
}

bool is_due(uint64_t due, uint64_t now_ns, uint64_t coalesce_ns)
{
    return due <= now_ns + coalesce_ns / 2;
}

uint64_t average_lateness(uint64_t average_ns, uint64_t wanted_ns, uint64_t now_ns,
                          uint64_t most_ns)
{
    uint64_t late = now_ns > wanted_ns ? now_ns - wanted_ns : 0;
    uint64_t average = (7 * average_ns + late) / 8;
    return average < most_ns ? average : most_ns;
}
