/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed form of a plan: unpacking gives back what was packed, rejects damaged bytes and
 * values out of range; and the layout of the stored bytes is written out below.
 */
#include "core/plan.h"

#include <stdlib.h>

#include "core/spec/spec_pack.h"
#include "draft.h"
#include "from_text.h"

enum { ROOM = 8192 };

static char seed_text[SEED_MAX], gate_text[PLAN_TEXT_MAX];

/* A typical schedule: one cron, everything else at its default. */
static struct plan plain_plan(void)
{
    static struct draft d;

    begin_draft(&d, "UTC");
    add_cron(&d, "30 2 * * MON-FRI", DIALECT_BELFRY);
    compile(&d);
    return (struct plan){.spec = d.spec,
                         .policies = policies_default(),
                         .queue = 7,
                         .created = at("2024-03-09T12:00:00Z"),
                         .seed = STR("default/nightly")};
}

/* Every member has a distinct value, so that a lost or swapped one is detected. */
static struct plan full_plan(void)
{
    struct plan plan = plain_plan();
    struct policies *p = &plan.policies;

    memset(seed_text, 's', sizeof seed_text);
    memset(gate_text, 'g', sizeof gate_text);
    *p = (struct policies){.overlap = OVERLAP_ALLOW_ALL,
                           .catchup = CATCHUP_NONE,
                           .buffer_limit = BUFFER_LIMIT_MAX,
                           .catchup_window = 11 * SPAN_S,
                           .priority = PRIORITY_MAX,
                           .remaining_runs = INT64_C(1) << 40,
                           .start_within = 12 * SPAN_S,
                           .retry = {.attempts = INT32_MAX,
                                     .backoff = BACKOFF_EXPONENTIAL,
                                     .delay = 13 * SPAN_S,
                                     .max = 14 * SPAN_S,
                                     .jitter = 15 * SPAN_S},
                           .timeout = 16 * SPAN_S,
                           .max_run_time = 17 * SPAN_S,
                           .lease = 18 * SPAN_S,
                           .heartbeat = 19 * SPAN_S,
                           .grace = 20 * SPAN_S,
                           .gate = {gate_text, sizeof gate_text},
                           .gate_limit = GATE_LIMIT_MAX,
                           .lateness_budget = 21 * SPAN_S,
                           .retention_age = 22 * SPAN_S,
                           .retention_count = 23,
                           .idle_close = 24 * SPAN_S};
    plan.governor_interval = 25 * SPAN_S;
    plan.governor_min = 26 * SPAN_S;
    plan.governor_max = DURATION_DAYS_MAX * SPAN_DAY;
    plan.lane = LANE_FLOW;
    plan.queue = INT64_MAX;
    plan.gate = INT64_MAX - 1;
    plan.created = INSTANT_MIN;
    plan.seed = (struct str){seed_text, sizeof seed_text};
    return plan;
}

static struct str pack(const struct plan *plan)
{
    static char room[ROOM];
    struct buf out = BUF(room);

    plan_pack(plan, &out);
    assert_false(out.cut);
    return buf_as_str(&out);
}

/* Bytes of exact length, so that a sanitizer detects an access beyond the end. */
static enum rc unpack(struct str bytes, struct plan *ret)
{
    char *copy = malloc(bytes.len > 0 ? bytes.len : 1);
    struct plan before = {.queue = 77}, plan = before;
    struct err err = {.rc = RC_COUNT};
    enum rc rc;

    assert_non_null(copy);
    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    rc = plan_unpack((struct str){copy, bytes.len}, arena, &plan, &err);
    free(copy); /* the unpacked plan uses only the arena */
    if (rc == RC_OK) {
        assert_int_equal(err.rc, RC_COUNT);
        *ret = plan;
        return rc;
    }
    assert_int_equal(rc, RC_CORRUPT);
    assert_int_equal(err.rc, RC_CORRUPT);
    assert_true(err.text[0] != '\0' && err.at >= 0 && (size_t)err.at <= bytes.len);
    assert_memory_equal(&plan, &before, sizeof plan);
    return rc;
}

static void assert_same_policies(const struct policies *a, const struct policies *b)
{
    assert_int_equal(a->overlap, b->overlap);
    assert_int_equal(a->catchup, b->catchup);
    assert_int_equal(a->buffer_limit, b->buffer_limit);
    assert_int_equal(a->catchup_window, b->catchup_window);
    assert_int_equal(a->catchup_paused, b->catchup_paused);
    assert_int_equal(a->drop_when_full, b->drop_when_full);
    assert_int_equal(a->pause_on_failure, b->pause_on_failure);
    assert_int_equal(a->approval, b->approval);
    assert_int_equal(a->at_most_once, b->at_most_once);
    assert_int_equal(a->wants_last, b->wants_last);
    assert_int_equal(a->priority, b->priority);
    assert_int_equal(a->remaining_runs, b->remaining_runs);
    assert_int_equal(a->start_within, b->start_within);
    assert_int_equal(a->retry.attempts, b->retry.attempts);
    assert_int_equal(a->retry.backoff, b->retry.backoff);
    assert_int_equal(a->retry.delay, b->retry.delay);
    assert_int_equal(a->retry.max, b->retry.max);
    assert_int_equal(a->retry.jitter, b->retry.jitter);
    assert_int_equal(a->timeout, b->timeout);
    assert_int_equal(a->max_run_time, b->max_run_time);
    assert_int_equal(a->lease, b->lease);
    assert_int_equal(a->heartbeat, b->heartbeat);
    assert_int_equal(a->grace, b->grace);
    assert_true(str_eq(a->gate, b->gate));
    assert_int_equal(a->gate_limit, b->gate_limit);
    assert_int_equal(a->lateness_budget, b->lateness_budget);
    assert_int_equal(a->retention_age, b->retention_age);
    assert_int_equal(a->retention_count, b->retention_count);
    assert_int_equal(a->idle_close, b->idle_close);
}

static void assert_comes_back(const struct plan *plan)
{
    struct plan again = {0};
    struct str first = pack(plan);
    char bytes[ROOM];

    assert_true(first.len <= sizeof bytes);
    memcpy(bytes, first.ptr, first.len);
    assert_int_equal(unpack(first, &again), RC_OK);
    assert_same_policies(&plan->policies, &again.policies);
    assert_int_equal(plan->is_governed, again.is_governed);
    assert_int_equal(plan->governor_backoff, again.governor_backoff);
    assert_int_equal(plan->governor_interval, again.governor_interval);
    assert_int_equal(plan->governor_min, again.governor_min);
    assert_int_equal(plan->governor_max, again.governor_max);
    assert_int_equal(plan->lane, again.lane);
    assert_int_equal(plan->queue, again.queue);
    assert_int_equal(plan->gate, again.gate);
    assert_int_equal(plan->created, again.created);
    assert_true(str_eq(plan->seed, again.seed));
    assert_int_equal(plan_follows(plan), again.follows);
    /* The spec has its own tests; equal bytes show that it is the same. */
    assert_int_equal(pack(&again).len, first.len);
    assert_memory_equal(pack(&again).ptr, bytes, first.len);
}

static void every_member_comes_back_as_it_was(void **state)
{
    struct plan plan = plain_plan();

    (void)state;
    assert_comes_back(&plan);
    plan = full_plan();
    assert_comes_back(&plan);
}

static void every_flag_is_packed_separately(void **state)
{
    bool *switches[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct plan plan = plain_plan();
        struct policies *p = &plan.policies;

        memcpy(switches,
               (bool *[8]){&p->catchup_paused, &p->drop_when_full, &p->pause_on_failure,
                           &p->approval, &p->at_most_once, &p->wants_last, &plan.is_governed,
                           &plan.governor_backoff},
               sizeof switches);
        *switches[i] = true;
        assert_comes_back(&plan);
        assert_int_equal((unsigned char)pack(&plan).ptr[1], 1 << i);
    }
}

static void an_unpacked_spec_gives_the_slots_of_the_packed_one(void **state)
{
    const struct zone_source zones = {.find = zone_find};
    struct plan plan = plain_plan(), again = {0};
    struct spec_ctx ctx = spec_ctx(plan.created);
    struct slot slot;
    struct err err;

    (void)state;
    assert_int_equal(unpack(pack(&plan), &again), RC_OK);
    assert_null(again.spec.zones[0].tz);
    assert_int_equal(spec_bind(&again.spec, &zones, &err), RC_OK);
    /* 2024-03-09 is a Saturday. */
    assert_true(spec_next(&again.spec, &ctx, plan.created, &slot));
    assert_true(slot.at == at("2024-03-11T02:30:00Z"));
}

static void a_plan_follows_its_runs_by_governor_or_anchor_only(void **state)
{
    static const bool follows[] = {false, false, true, true}; /* epoch … completion */
    struct plan plan = plain_plan();
    struct draft d;

    (void)state;
    assert_false(plan_follows(&plan));
    plan.is_governed = true;
    assert_true(plan_follows(&plan));
    for (int anchor = ANCHOR_EPOCH; anchor <= ANCHOR_COMPLETION; anchor++) {
        begin_draft(&d, "UTC");
        add_cron(&d, "0 0 * * *", DIALECT_BELFRY);
        add_every(&d, SPAN_H, 0, (enum anchor)anchor);
        compile(&d);
        assert_int_equal(plan_follows(&(struct plan){.spec = d.spec}), follows[anchor]);
    }
}

static void bytes_that_end_early_or_late_are_refused(void **state)
{
    struct plan plan = plain_plan();
    struct str packed = pack(&plan);
    char longer[ROOM] = {0};

    (void)state;
    for (size_t len = 0; len < packed.len; len++)
        if (unpack((struct str){packed.ptr, len}, &plan) == RC_OK)
            fail_msg("%zu bytes are accepted", len);
    memcpy(longer, packed.ptr, packed.len);
    assert_int_equal(unpack((struct str){longer, packed.len + 1}, &plan), RC_CORRUPT);
}

static void any_other_version_is_refused(void **state)
{
    struct plan plan = plain_plan();
    struct str packed = pack(&plan);
    char bytes[ROOM];

    (void)state;
    memcpy(bytes, packed.ptr, packed.len);
    for (int version = 0; version < 256; version++) {
        bytes[0] = (char)(unsigned char)version;
        assert_int_equal(unpack((struct str){bytes, packed.len}, &plan),
                         version == 1 || version == 2 ? RC_OK : RC_CORRUPT);
    }
}

/* Each plan has exactly one packed form: accepted bytes pack to the same bytes. */
static void a_flipped_bit_is_refused_or_gives_another_valid_plan(void **state)
{
    struct plan plan = plain_plan(), again;
    struct str packed = pack(&plan);
    char bytes[ROOM];
    int refused = 0;

    (void)state;
    memcpy(bytes, packed.ptr, packed.len);
    for (size_t bit = 0; bit < packed.len * 8; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        arena_reset(arena);
        if (unpack((struct str){bytes, packed.len}, &again) == RC_OK) {
            assert_true(plan_is_valid(&again));
            assert_int_equal(pack(&again).len, packed.len);
            assert_memory_equal(pack(&again).ptr, bytes, packed.len);
        } else {
            refused++;
        }
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    assert_true(refused > 0);
}

/* The offsets of the numbers in the fixed part.  A change breaks stored plans. */
enum {
    AT_SWITCHES = 1,
    AT_OVERLAP = 3,
    AT_CATCHUP = 4,
    AT_BACKOFF = 5,
    AT_PRIORITY = 6,
    AT_LANE = 7,
    AT_BUFFER = 8,
    AT_ATTEMPTS = 12,
    AT_GATE_LIMIT = 16,
    AT_RETENTION = 20,
    AT_REMAINING = 24,
    AT_WINDOW = 32,
    AT_SPANS = 40,
    AT_QUEUE = AT_SPANS + 15 * 8,
    AT_GATE = AT_QUEUE + 8,
    AT_CREATED = AT_GATE + 8,
    AT_GATE_TEXT = AT_CREATED + 8,
    AT_SEED_TEXT = AT_GATE_TEXT + 2,
};

static int64_t number_at(struct str bytes, size_t at, int width)
{
    uint64_t value = 0;

    for (int i = 0; i < width; i++)
        value |= (uint64_t)(unsigned char)bytes.ptr[at + (size_t)i] << 8 * i;
    return (int64_t)value;
}

static void the_stored_layout_does_not_change(void **state)
{
    struct plan plan = plain_plan();
    struct str p = pack(&plan);
    static const int64_t spans[15] = {
        0,        1000000, 3600000000,    0, 0, 86400000000, 90000000, 30000000,
        30000000, 0,       7776000000000, 0, 0, 0,           0};

    (void)state;
    assert_memory_equal(p.ptr, "\2\0\0\0\1\1\5\0", 8);
    assert_int_equal(number_at(p, AT_BUFFER, 4), 1000);
    assert_int_equal(number_at(p, AT_ATTEMPTS, 4), 1);
    assert_int_equal(number_at(p, AT_GATE_LIMIT, 4), 0);
    assert_int_equal(number_at(p, AT_RETENTION, 4), 0);
    assert_int_equal(number_at(p, AT_REMAINING, 8), -1);
    assert_int_equal(number_at(p, AT_WINDOW, 8), -1);
    for (size_t i = 0; i < 15; i++)
        assert_int_equal(number_at(p, AT_SPANS + 8 * i, 8), spans[i]);
    assert_int_equal(number_at(p, AT_QUEUE, 8), 7);
    assert_int_equal(number_at(p, AT_GATE, 8), 0);
    assert_int_equal(number_at(p, AT_CREATED, 8), 1709985600000000);
    assert_int_equal(number_at(p, AT_GATE_TEXT, 2), 0);
    assert_int_equal(number_at(p, AT_SEED_TEXT, 2), 15);
    assert_memory_equal(p.ptr + AT_SEED_TEXT + 2, "default/nightly", 15);
    assert_int_equal(p.ptr[AT_SEED_TEXT + 17], SPEC_PACK_VERSION);
}

/* Of an action whose owner set none: version 1 had a default. */
static void a_plan_of_the_first_version_loses_the_maximum_of_workflows(void **state)
{
    const struct str workflow = STR("{\"type\":\"workflow\",\"name\":\"w\"}");
    struct plan plan = plain_plan(), old;
    struct str packed;
    char bytes[ROOM];

    (void)state;
    plan.policies.max_run_time = 24 * SPAN_H;
    packed = pack(&plan);
    memcpy(bytes, packed.ptr, packed.len);
    assert_int_equal(unpack((struct str){bytes, packed.len}, &old), RC_OK);
    plan_drop_old_maximum(&old, workflow);
    assert_int_equal(old.policies.max_run_time, 24 * SPAN_H); /* the owner has set it */
    bytes[0] = PLAN_PACK_VERSION_FIRST;
    assert_int_equal(unpack((struct str){bytes, packed.len}, &old), RC_OK);
    plan_drop_old_maximum(&old, STR("{\"type\":\"http\"}"));
    assert_int_equal(old.policies.max_run_time, 24 * SPAN_H);
    plan_drop_old_maximum(&old, workflow);
    assert_int_equal(old.policies.max_run_time, 0);
}

static void a_number_outside_its_range_is_refused(void **state)
{
    static const struct {
        size_t at;
        int width;
        int64_t most, wrong; /* the largest valid value, and an invalid one */
    } rows[] = {
        {AT_SWITCHES, 2, 1023, 1024},
        {AT_OVERLAP, 1, 5, 6},
        {AT_CATCHUP, 1, 3, 4},
        {AT_BACKOFF, 1, 1, 2},
        {AT_PRIORITY, 1, 1, 0},
        {AT_PRIORITY, 1, 10, 11},
        {AT_LANE, 1, 3, 4},
        {AT_BUFFER, 4, 10000, 10001},
        {AT_ATTEMPTS, 4, 1, 0},
        {AT_ATTEMPTS, 4, INT32_MAX, INT64_C(1) << 31},
        {AT_GATE_LIMIT, 4, 1000000, 1000001},
        {AT_RETENTION, 4, INT32_MAX, INT64_C(1) << 31},
        {AT_REMAINING, 8, -1, -2},
        {AT_WINDOW, 8, -1, -2},
        {AT_WINDOW, 8, 365250 * SPAN_DAY, 365250 * SPAN_DAY + 1},
        {AT_SPANS, 8, 0, -1},
        {AT_SPANS + 14 * 8, 8, 365250 * SPAN_DAY, 365250 * SPAN_DAY + 1},
        {AT_QUEUE, 8, 0, -1},
        {AT_GATE, 8, INT64_MAX, -1},
        {AT_CREATED, 8, INSTANT_MIN, INSTANT_MIN - 1},
        {AT_CREATED, 8, INSTANT_MAX, INSTANT_MAX + 1},
    };
    struct plan plan = plain_plan(), again;
    struct str packed = pack(&plan);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int wrong = 0; wrong < 2; wrong++) {
            uint64_t value = (uint64_t)(wrong ? rows[i].wrong : rows[i].most);
            char bytes[ROOM];

            memcpy(bytes, packed.ptr, packed.len);
            for (int j = 0; j < rows[i].width; j++)
                bytes[rows[i].at + (size_t)j] = (char)(unsigned char)(value >> 8 * j);
            if (unpack((struct str){bytes, packed.len}, &again) != (wrong ? RC_CORRUPT : RC_OK))
                fail_msg("row %zu, wrong %d", i, wrong);
        }
}

static void texts_are_utf8_and_bounded(void **state)
{
    static char long_text[SEED_MAX + 1];
    struct plan plan = plain_plan();

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    plan.policies.gate = STR("\xc3\xa9t\xc3\xa9");
    assert_comes_back(&plan);
    plan.policies.gate = STR("\xc3");
    assert_false(plan_is_valid(&plan));
    plan.policies.gate = (struct str){long_text, PLAN_TEXT_MAX + 1};
    assert_false(plan_is_valid(&plan));
    plan.policies.gate = STR("");
    plan.seed = (struct str){long_text, SEED_MAX + 1};
    assert_false(plan_is_valid(&plan));
}

static void bytes_that_are_not_utf8_are_refused(void **state)
{
    struct plan plan = plain_plan();
    struct str packed = pack(&plan);
    char bytes[ROOM];

    (void)state;
    memcpy(bytes, packed.ptr, packed.len);
    bytes[AT_SEED_TEXT + 2] = (char)0xff;
    assert_int_equal(unpack((struct str){bytes, packed.len}, &plan), RC_CORRUPT);
}

static void the_longest_plan_fits_beside_the_longest_spec(void **state)
{
    struct plan plan = full_plan();
    char room[ROOM];
    struct buf spec = BUF(room);

    (void)state;
    spec_pack(&plan.spec, &spec);
    assert_true(pack(&plan).len - spec.len <= PLAN_PACKED_MAX - SPEC_PACKED_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_comes_back_as_it_was),
        cmocka_unit_test(every_flag_is_packed_separately),
        cmocka_unit_test(an_unpacked_spec_gives_the_slots_of_the_packed_one),
        cmocka_unit_test(a_plan_of_the_first_version_loses_the_maximum_of_workflows),
        cmocka_unit_test(a_plan_follows_its_runs_by_governor_or_anchor_only),
        cmocka_unit_test(bytes_that_end_early_or_late_are_refused),
        cmocka_unit_test(any_other_version_is_refused),
        cmocka_unit_test(a_flipped_bit_is_refused_or_gives_another_valid_plan),
        cmocka_unit_test(the_stored_layout_does_not_change),
        cmocka_unit_test(a_number_outside_its_range_is_refused),
        cmocka_unit_test(texts_are_utf8_and_bounded),
        cmocka_unit_test(bytes_that_are_not_utf8_are_refused),
        cmocka_unit_test(the_longest_plan_fits_beside_the_longest_spec),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
