/* SPDX-License-Identifier: Apache-2.0 */
/* The mailbox compared with a plain list, and between threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/instant.h"
#include "base/must.h"
#include "base/prng.h"
#include "io/clock.h"
#include "io/mailbox.h"

struct note {
    uint32_t from;
    uint32_t number;
    char ballast[9]; /* so that the size, 20 bytes, is not a multiple of 8 */
};

static void messages_come_out_in_order_as_from_a_list(void **state)
{
    enum { PLACES = 7, STEPS = 200000 };
    struct mailbox *box = mailbox_new(PLACES, sizeof(struct note), NULL, NULL);
    struct prng prng;
    uint32_t pushed = 0, taken = 0; /* the list: numbers taken to pushed - 1 */
    struct note out[PLACES + 2];

    (void)state;
    prng_seed(&prng, 4);
    for (int i = 0; i < STEPS; i++) {
        size_t n = (size_t)prng_below(&prng, PLACES + 2), got;
        size_t room = PLACES - (pushed - taken);
        struct note note = {.number = pushed};

        assert_int_equal(mailbox_room(box), room);
        if (prng_below(&prng, 4) > 0) {
            assert_int_equal(mailbox_push(box, &note), room > 0);
            pushed += room > 0;
            continue;
        }
        assert_int_equal(mailbox_wait(box, 0), pushed != taken);
        got = mailbox_take(box, out, n);
        assert_int_equal(got, n < pushed - taken ? n : pushed - taken);
        for (size_t k = 0; k < got; k++)
            assert_int_equal(out[k].number, taken++);
    }
    assert_true(taken > STEPS / 20);
    mailbox_free(box);
}

/* Senders retry each message until it fits. */
enum { SENDERS = 4, EACH = 50000 };

struct sender {
    struct mailbox *box;
    uint32_t id;
};

static void *send_all(void *arg)
{
    struct sender *me = arg;

    for (uint32_t i = 0; i < EACH;) {
        struct note note = {.from = me->id, .number = i};

        i += mailbox_push(me->box, &note);
        if (mailbox_room(me->box) == 0)
            sched_yield();
    }
    return NULL;
}

static void messages_of_many_threads_arrive_once_and_in_order(void **state)
{
    struct mailbox *box = mailbox_new(64, sizeof(struct note), NULL, NULL);
    uint32_t next[SENDERS] = {0}, total = 0;
    struct sender senders[SENDERS];
    pthread_t threads[SENDERS];
    struct note out[16];

    (void)state;
    for (uint32_t i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){box, i};
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0);
    }
    while (total < SENDERS * EACH) {
        size_t got;

        assert_true(mailbox_wait(box, INSTANT_NEVER));
        got = mailbox_take(box, out, 16);
        assert_true(got > 0);
        for (size_t i = 0; i < got; i++)
            assert_int_equal(out[i].number, next[out[i].from]++);
        total += (uint32_t)got;
    }
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_false(mailbox_wait(box, 0));
    mailbox_free(box);
}

/* Each waits for the other's answer: if one wakeup were lost, both would sleep forever. */
struct pair {
    struct mailbox *there, *back;
};

static void *echo(void *arg)
{
    struct pair *pair = arg;
    struct note note;

    for (int i = 0; i < 20000; i++) {
        must(mailbox_wait(pair->there, INSTANT_NEVER));
        must(mailbox_take(pair->there, &note, 1) == 1);
        must(mailbox_push(pair->back, &note));
    }
    return NULL;
}

static void a_receiver_that_sleeps_is_woken_every_time(void **state)
{
    struct pair pair = {mailbox_new(1, sizeof(struct note), NULL, NULL),
                        mailbox_new(1, sizeof(struct note), NULL, NULL)};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, echo, &pair), 0);
    for (uint32_t i = 0; i < 20000; i++) {
        struct note note = {.number = i};

        assert_true(mailbox_push(pair.there, &note));
        assert_true(mailbox_wait(pair.back, INSTANT_NEVER));
        assert_int_equal(mailbox_take(pair.back, &note, 1), 1);
        assert_int_equal(note.number, i);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    mailbox_free(pair.there);
    mailbox_free(pair.back);
}

static void a_wait_ends_at_its_deadline_and_not_before(void **state)
{
    struct mailbox *box = mailbox_new(1, sizeof(struct note), NULL, NULL);

    (void)state;
    for (int64_t us = 1; us <= 20000; us *= 3) {
        int64_t until = clock_boot_us() + us;

        assert_false(mailbox_wait(box, until));
        assert_true(clock_boot_us() >= until);
    }
    assert_true(mailbox_push(box, &(struct note){0}));
    assert_true(mailbox_wait(box, 0));
    mailbox_free(box);
}

static void count_wake(void *arg)
{
    (*(int *)arg)++;
}

static void the_receiver_is_woken_once_between_two_takes(void **state)
{
    int wakes = 0;
    struct mailbox *box = mailbox_new(8, sizeof(struct note), count_wake, &wakes);
    struct note note = {0}, out[8];

    (void)state;
    assert_true(mailbox_push(box, &note));
    assert_true(mailbox_push(box, &note));
    assert_int_equal(wakes, 1);
    assert_int_equal(mailbox_take(box, out, 1), 1);
    assert_int_equal(wakes, 1);
    assert_true(mailbox_push(box, &note));
    assert_int_equal(wakes, 2);
    assert_int_equal(mailbox_take(box, out, 8), 2);
    assert_int_equal(mailbox_take(box, out, 8), 0);
    assert_true(mailbox_push(box, &note));
    assert_int_equal(wakes, 3);
    mailbox_free(box);
}

/* Resident memory of this process in bytes. */
static int64_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long all, pages;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &pages), 2);
    fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static void memory_grows_only_with_the_waiting_messages(void **state)
{
    enum { PLACES = 1 << 16, BYTES = 256 }; /* 16 MiB, if each place were used once */
    struct mailbox *box = mailbox_new(PLACES, BYTES, NULL, NULL);
    char message[BYTES] = {0};
    int64_t before;

    (void)state;
    before = resident();
    for (int i = 0; i < PLACES; i++) {
        assert_true(mailbox_push(box, message));
        assert_int_equal(mailbox_take(box, message, 1), 1);
    }
    assert_true(resident() - before < (int64_t)PLACES * BYTES / 4);
    mailbox_free(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_in_order_as_from_a_list),
        cmocka_unit_test(messages_of_many_threads_arrive_once_and_in_order),
        cmocka_unit_test(a_receiver_that_sleeps_is_woken_every_time),
        cmocka_unit_test(a_wait_ends_at_its_deadline_and_not_before),
        cmocka_unit_test(the_receiver_is_woken_once_between_two_takes),
        cmocka_unit_test(memory_grows_only_with_the_waiting_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
