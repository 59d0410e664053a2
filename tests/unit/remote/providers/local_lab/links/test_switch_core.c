/* Tests of the delay line's core; test_delay_line.py builds and runs them. */

#include "switch_core.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);   \
            exit(EXIT_FAILURE);                                                         \
        }                                                                               \
    } while (0)

static void mac_of(uint32_t number, uint8_t *mac)
{
    mac[0] = 2;
    mac[1] = 0;
    for (int i = 2; i < MAC_BYTES; i++)
        mac[i] = (uint8_t)(number >> 8 * (MAC_BYTES - 1 - i));
}

static void test_stations_are_learned_and_move(void)
{
    static struct stations stations;
    uint8_t one[MAC_BYTES], two[MAC_BYTES];
    mac_of(1, one);
    mac_of(2, two);
    CHECK(stations_find(&stations, one) == EVERYWHERE);
    stations_learn(&stations, one, 3);
    stations_learn(&stations, two, 0);
    CHECK(stations_find(&stations, one) == 3);
    CHECK(stations_find(&stations, two) == 0);
    stations_learn(&stations, one, 5);
    CHECK(stations_find(&stations, one) == 5);
    CHECK(stations.count == 2);
}

static void test_group_addresses_go_everywhere(void)
{
    static struct stations stations;
    const uint8_t broadcast[] = {255, 255, 255, 255, 255, 255}, multicast[] = {1, 0, 94, 0, 0, 1};
    stations_learn(&stations, broadcast, 1);
    stations_learn(&stations, multicast, 1);
    CHECK(stations.count == 0);
    CHECK(stations_find(&stations, broadcast) == EVERYWHERE);
    CHECK(stations_find(&stations, multicast) == EVERYWHERE);
}

static void test_full_table_forgets_the_oldest(void)
{
    static struct stations stations;
    uint8_t mac[MAC_BYTES];
    for (uint32_t i = 0; i < MAX_STATIONS + 2; i++) {
        mac_of(i, mac);
        stations_learn(&stations, mac, (int)i);
    }
    CHECK(stations.count == MAX_STATIONS);
    mac_of(1, mac);
    CHECK(stations_find(&stations, mac) == EVERYWHERE);
    mac_of(2, mac);
    CHECK(stations_find(&stations, mac) == 2);
    mac_of(MAX_STATIONS + 1, mac);
    CHECK(stations_find(&stations, mac) == MAX_STATIONS + 1);
}

static void test_frames_are_due_a_delay_after_they_came(void)
{
    CHECK(due_ns(1000, 450, 1100) == 1450);
    CHECK(due_ns(1000, 0, 1100) == 1000);
    CHECK(due_ns(1101, 450, 1100) == 1551); /* it came after `now` was asked for */
    CHECK(due_ns(3 * CLOCK_STEP_NS, 450, CLOCK_STEP_NS) == CLOCK_STEP_NS);
}

static void test_frames_leave_in_the_middle_of_those_that_go_together(void)
{
    struct departure none = NO_DEPARTURE;
    struct departure one = {.first_ns = 1000, .last_ns = 1000};
    struct departure some = {.first_ns = 1000, .last_ns = 1200};
    CHECK(departure_ns(&none) == UINT64_MAX);
    CHECK(departure_ns(&one) == 1000);
    CHECK(departure_ns(&some) == 1100);
    CHECK(is_due(some.first_ns, departure_ns(&some), 200));
    CHECK(is_due(some.last_ns, departure_ns(&some), 200));
    CHECK(!is_due(some.last_ns + 1, departure_ns(&some), 200));
}

static void test_a_frame_that_is_held_for_long_does_not_make_those_that_come_late(void)
{
    struct departure none = NO_DEPARTURE;
    struct departure far = {.first_ns = 9000, .last_ns = 9000};
    CHECK(wake_up_ns(&none, 1000, 450) == UINT64_MAX);
    CHECK(wake_up_ns(&far, 1000, 450) == 1450);
    CHECK(wake_up_ns(&far, 8700, 450) == 9000);
    CHECK(wake_up_ns(&far, 9100, 450) == 9000); /* it is late already */
}

static void test_lateness_is_averaged_and_bounded(void)
{
    CHECK(average_lateness(0, 1000, 1080, 100) == 10);
    CHECK(average_lateness(80, 1000, 1080, 100) == 80);
    CHECK(average_lateness(80, 1000, 900, 100) == 70); /* awake too early */
    CHECK(average_lateness(80, 1000, 9000, 100) == 100);
}

static void test_the_last_frame_of_a_message_is_pushed(void)
{
    uint8_t frame[80] = {[12] = 0x08, [14] = 0x45, [14 + 9] = 6};
    CHECK(!ends_message(frame, sizeof frame));
    frame[14 + 20 + 13] = 0x18;
    CHECK(ends_message(frame, sizeof frame));
    CHECK(!ends_message(frame, 14 + 20 + 19)); /* without all of TCP's header */
    CHECK(!ends_message(frame, 14));
    frame[14] = 0x46; /* options of IP push TCP back */
    CHECK(!ends_message(frame, sizeof frame));
    frame[14 + 24 + 13] = 0x18;
    CHECK(ends_message(frame, sizeof frame));
    frame[14 + 9] = 17; /* UDP */
    CHECK(!ends_message(frame, sizeof frame));
    frame[14 + 9] = 6;
    frame[12] = 0x86; /* no IPv4 */
    CHECK(!ends_message(frame, sizeof frame));
}

static void test_messages_wait_for_each_other(void)
{
    CHECK(served_ns(1000, 400, 100, 900) == 1100);
    CHECK(served_ns(1000, 1040, 100, 900) == 1140);
    CHECK(served_ns(1000, 3 * CLOCK_STEP_NS, 100, 1000) == 1100); /* the clock was set back */
    CHECK(service_ns(100, 0, 64) == 100);
    CHECK(service_ns(100, 0.5, 1) == 100);
    CHECK(service_ns(800, 0.5, 16) == 200);
}

int main(void)
{
    test_stations_are_learned_and_move();
    test_group_addresses_go_everywhere();
    test_full_table_forgets_the_oldest();
    test_frames_are_due_a_delay_after_they_came();
    test_frames_leave_in_the_middle_of_those_that_go_together();
    test_a_frame_that_is_held_for_long_does_not_make_those_that_come_late();
    test_lateness_is_averaged_and_bounded();
    test_the_last_frame_of_a_message_is_pushed();
    test_messages_wait_for_each_other();
    puts("all passed");
}
