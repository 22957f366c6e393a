/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fair queue: order, limits, and a comparison with a simple model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "io/client/fair_queue.h"

enum { ITEMS = 40, KEYS = 7, STEPS = 200000, ALL = 9, EACH = 3 };

static void keys_take_turns_and_items_keep_their_order(void **state)
{
    struct fair_queue *queue = fair_queue_new(100, 100);
    struct fair_item a[3] = {0}, b[2] = {0}, c = {0};

    (void)state;
    for (int i = 0; i < 3; i++)
        fair_queue_add(queue, &a[i], 1);
    for (int i = 0; i < 2; i++)
        fair_queue_add(queue, &b[i], 2);
    fair_queue_add(queue, &c, 3);
    assert_int_equal(fair_queue_waiting(queue), 6);
    assert_ptr_equal(fair_queue_next(queue), &a[0]);
    assert_ptr_equal(fair_queue_next(queue), &b[0]);
    assert_ptr_equal(fair_queue_next(queue), &c);
    assert_ptr_equal(fair_queue_next(queue), &a[1]);
    assert_ptr_equal(fair_queue_next(queue), &b[1]);
    assert_ptr_equal(fair_queue_next(queue), &a[2]);
    assert_null(fair_queue_next(queue));
    assert_int_equal(fair_queue_running(queue), 6);
    fair_queue_free(queue);
}

static void a_full_key_does_not_delay_another(void **state)
{
    struct fair_queue *queue = fair_queue_new(100, 1);
    struct fair_item a[3] = {0}, b = {0};

    (void)state;
    for (int i = 0; i < 3; i++)
        fair_queue_add(queue, &a[i], 1);
    fair_queue_add(queue, &b, 2);
    assert_ptr_equal(fair_queue_next(queue), &a[0]);
    assert_ptr_equal(fair_queue_next(queue), &b);
    assert_null(fair_queue_next(queue));
    fair_queue_remove(queue, &a[1]); /* while it waits */
    fair_queue_remove(queue, &a[0]);
    assert_ptr_equal(fair_queue_next(queue), &a[2]);
    fair_queue_free(queue);
}

/*
 * A model that searches all items: the state of each, when it was added, and since when its
 * key has had an item that may run.
 */
struct model {
    enum fair_state state[ITEMS];
    int64_t key[ITEMS], added_at[ITEMS];
    int64_t ready_since[KEYS]; /* 0: none of its items may run, ignoring the total limit */
    int64_t clock;
};

static int running_of(const struct model *m, int64_t key)
{
    int count = 0;

    for (int i = 0; i < ITEMS; i++)
        count += m->state[i] == FAIR_RUNNING && (key < 0 || m->key[i] == key);
    return count;
}

static int first_of(const struct model *m, int64_t key)
{
    int best = -1;

    for (int i = 0; i < ITEMS; i++)
        if (m->state[i] == FAIR_WAITING && m->key[i] == key &&
            (best < 0 || m->added_at[i] < m->added_at[best]))
            best = i;
    return best;
}

static void update(struct model *m, int64_t key)
{
    bool is_ready = first_of(m, key) >= 0 && running_of(m, key) < EACH;

    if (!is_ready)
        m->ready_since[key] = 0;
    else if (m->ready_since[key] == 0)
        m->ready_since[key] = ++m->clock;
}

static int expected_next(struct model *m)
{
    int64_t best = -1;

    if (running_of(m, -1) >= ALL)
        return -1;
    for (int64_t key = 0; key < KEYS; key++)
        if (m->ready_since[key] > 0 && (best < 0 || m->ready_since[key] < m->ready_since[best]))
            best = key;
    return best < 0 ? -1 : first_of(m, best);
}

static void random_sequences_agree_with_the_model(void **state)
{
    struct fair_queue *queue = fair_queue_new(ALL, EACH);
    struct fair_item items[ITEMS] = {0};
    struct model m = {0};
    struct prng prng;

    (void)state;
    prng_seed(&prng, 4);
    for (int step = 0; step < STEPS; step++) {
        int i = (int)prng_below(&prng, ITEMS);

        if (prng_below(&prng, 3) == 0) {
            int want = expected_next(&m);
            struct fair_item *got = fair_queue_next(queue);

            assert_ptr_equal(got, want < 0 ? NULL : &items[want]);
            if (want >= 0) {
                m.state[want] = FAIR_RUNNING;
                m.ready_since[m.key[want]] = 0;
                update(&m, m.key[want]);
            }
        } else if (m.state[i] == FAIR_OUT) {
            m.key[i] = (int64_t)prng_below(&prng, KEYS);
            m.added_at[i] = ++m.clock;
            m.state[i] = FAIR_WAITING;
            fair_queue_add(queue, &items[i], m.key[i]);
            update(&m, m.key[i]);
        } else {
            m.state[i] = FAIR_OUT;
            fair_queue_remove(queue, &items[i]);
            update(&m, m.key[i]);
        }
        assert_int_equal(fair_queue_running(queue), running_of(&m, -1));
    }
    fair_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_take_turns_and_items_keep_their_order),
        cmocka_unit_test(a_full_key_does_not_delay_another),
        cmocka_unit_test(random_sequences_agree_with_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
