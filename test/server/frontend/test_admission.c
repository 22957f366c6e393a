/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what the admission counts and records.  test/api/access/test_auth.c tests who is
 * admitted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/call/operation.h"
#include "server/frontend/admission.h"

static const struct operation reading = {.id = "x.get", .method = "GET", .right = RIGHT_VIEW};
static const struct operation working = {.id = "x.work", .method = "GET", .right = RIGHT_WORK};

static uint64_t fixed_number(void *arg)
{
    (void)arg;
    return 7;
}

static const struct api_context context = {.random = fixed_number};

struct fixture {
    struct admission *admission;
    struct arena *arena, *report;
    struct call call, reported;
    struct http1_request request;
    struct exchange x;
    struct config config;
    struct log log;
};

static bool ignore_line(void *arg, struct str line)
{
    (void)arg;
    (void)line;
    return true;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    fixture->admission = admission_new(1);
    fixture->arena = arena_new(CALL_ARENA_MAX);
    fixture->report = arena_new(CALL_ARENA_MAX);
    fixture->request = (struct http1_request){.method = STR("GET"), .host = STR("localhost")};
    fixture->x.request = &fixture->request;
    fixture->x.peer = (struct peer){.bytes = {127, 0, 0, 1}};
    log_open(&fixture->log, (struct log_sink){ignore_line, NULL}, LEVEL_ERROR, LOG_LOGFMT);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    admission_free(fixture->admission);
    arena_free(fixture->arena);
    arena_free(fixture->report);
    free(fixture);
    return 0;
}

static bool ask(struct fixture *fixture, const struct operation *operation, instant now,
                struct limit *ret)
{
    bool is_admitted;

    arena_reset(fixture->arena);
    fixture->call = (struct call){
        .arena = fixture->arena, .operation = operation, .context = &context, .now = now};
    admission_identify(&fixture->call, &fixture->x);
    is_admitted = admission_admit(fixture->admission, &fixture->call, &fixture->x,
                                  &fixture->config, ret);
    admission_note(fixture->admission, &fixture->call);
    return is_admitted;
}

/* Returns the number of commands; -1: nothing to record. */
static int report(struct fixture *fixture, instant now)
{
    arena_reset(fixture->report);
    fixture->reported = (struct call){.arena = fixture->report, .now = now};
    return admission_report(fixture->admission, &fixture->reported, &fixture->log)
               ? fixture->reported.command_count
               : -1;
}

static struct db_value row[10];

/* One admin of all namespaces; its secret is 32 zero bytes. */
static void set_keys(struct fixture *fixture, instant used_at)
{
    static const uint8_t secret[SECRET_BYTES];
    static uint8_t hash[SHA256_BYTES];
    struct db_result rows = {.rows = 1, .columns = 10, .values = row};

    sha256_hmac(STR("key"), (struct str){(const char *)secret, sizeof secret}, hash);
    row[0] = db_int(33);
    row[1] = db_int(0);
    row[2] = db_int(ROLE_ADMIN);
    row[3] = db_text(STR("root"));
    row[4] = db_blob((struct str){(const char *)hash, sizeof hash});
    row[5] = db_int(0);
    row[6] = db_text(STR("local"));
    row[7] = db_int(INSTANT_NEVER);
    row[8] = db_int(used_at);
    row[9] = db_null();
    admission_set_keys(fixture->admission, keyring_new(STR("key"), &rows));
}

static void send_token(struct fixture *fixture)
{
    fixture->request.fields[0] = (struct http1_field){
        STR("Authorization"), STR("Bearer bf_admin_000000000011_"
                                  "0000000000000000000000000000000000000000000000000000")};
    fixture->request.field_count = 1;
}

static void no_one_is_admitted_before_the_tokens_are_known(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;

    assert_false(ask(fixture, &reading, 0, &limit));
    assert_int_equal(fixture->call.status, 503);
    set_keys(fixture, INSTANT_NONE);
    assert_false(ask(fixture, &reading, 0, &limit));
    assert_int_equal(fixture->call.status, 401);
    send_token(fixture);
    assert_true(ask(fixture, &reading, 0, &limit));
    assert_int_equal(fixture->call.caller.token, 33);
    assert_true(str_eq(fixture->call.from, STR("127.0.0.1")));
}

static void equal_denials_become_one_entry_with_a_count(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;

    set_keys(fixture, INSTANT_NONE);
    assert_int_equal(report(fixture, 0), -1);
    for (int i = 0; i < 1000; i++)
        assert_false(ask(fixture, &reading, 0, &limit));
    assert_false(ask(fixture, &working, 0, &limit));
    assert_int_equal(report(fixture, 0), 2);
    assert_int_equal(fixture->reported.commands[0].kind, COMMAND_DENIED);
    assert_int_equal(fixture->reported.commands[0].audit->count, 1000);
    assert_int_equal(fixture->reported.commands[0].audit->result, AUDIT_UNAUTHORIZED);
    assert_true(str_eq(fixture->reported.commands[0].audit->operation, STR("x.get")));
    assert_int_equal(fixture->reported.commands[1].audit->count, 1);
    assert_int_equal(report(fixture, 0), -1);
}

static void denials_of_many_addresses_become_few_entries(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;
    int64_t sum = 0;

    set_keys(fixture, INSTANT_NONE);
    for (int i = 0; i < 1000; i++) {
        fixture->x.peer = (struct peer){.bytes = {10, 0, (uint8_t)(i / 256), (uint8_t)i}};
        assert_false(ask(fixture, &reading, 0, &limit));
    }
    assert_int_equal(report(fixture, 0), ADMISSION_DENIALS_MAX);
    for (int i = 0; i < ADMISSION_DENIALS_MAX; i++)
        sum += fixture->reported.commands[i].audit->count;
    assert_int_equal(sum, 1000);
}

static void the_entries_per_minute_are_limited(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;
    int64_t entries = 0, sum = 0;

    set_keys(fixture, INSTANT_NONE);
    for (int second = 0; second <= 60; second++) {
        instant now = (second + 1) * SPAN_S;
        int reported;

        for (int i = 0; i < 100; i++) {
            fixture->x.peer = (struct peer){.bytes = {10, 0, (uint8_t)second, (uint8_t)i}};
            assert_false(ask(fixture, &reading, now, &limit));
        }
        reported = report(fixture, now);
        for (int i = 0; i < reported; i++)
            sum += fixture->reported.commands[i].audit->count;
        entries += reported > 0 ? reported : 0;
        if (second == 58)
            assert_int_equal(entries, ADMISSION_DENIALS_A_MINUTE);
    }
    assert_int_equal(sum, 6100); /* a new minute has begun: no denial was lost */
}

static void a_revoked_or_expired_token_is_not_allowed_any_more(void **state)
{
    static const struct db_result none;
    const struct caller local = {.role = ROLE_ADMIN, .is_everywhere = true};
    const struct caller root = {.role = ROLE_ADMIN, .token = 33, .is_everywhere = true};
    const struct caller other = {.role = ROLE_WORKER, .token = 34};
    struct fixture *fixture = *state;

    set_keys(fixture, INSTANT_NONE);
    assert_true(admission_still_allows(fixture->admission, &root, 0));
    assert_false(admission_still_allows(fixture->admission, &other, 0));
    assert_false(admission_still_allows(fixture->admission, &local, 0));
    row[7] = db_int(100);
    admission_set_keys(
        fixture->admission,
        keyring_new(STR("key"), &(struct db_result){.rows = 1, .columns = 10, .values = row}));
    assert_true(admission_still_allows(fixture->admission, &root, 99));
    assert_false(admission_still_allows(fixture->admission, &root, 100));
    admission_set_keys(fixture->admission, keyring_new(STR("key"), &none));
    assert_false(admission_still_allows(fixture->admission, &root, 0));
    assert_true(admission_still_allows(fixture->admission, &local, 0));
}

static void the_last_use_of_a_token_is_recorded_once_per_minute(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;
    instant start = INT64_C(4000000000000000); /* later than the clock during this test */

    set_keys(fixture, INSTANT_NONE);
    send_token(fixture);
    assert_int_equal(report(fixture, start), -1);
    for (int i = 1; i <= 100; i++)
        assert_true(ask(fixture, &reading, start + i * SPAN_MS, &limit));
    assert_int_equal(report(fixture, start + SPAN_S), -1);
    assert_int_equal(report(fixture, start + SPAN_MIN), 1);
    assert_int_equal(fixture->reported.commands[0].kind, COMMAND_TOKEN_USED);
    assert_int_equal(fixture->reported.commands[0].token_used.id, 33);
    assert_int_equal(fixture->reported.commands[0].token_used.at, start + SPAN_MS);
    assert_int_equal(report(fixture, start + 2 * SPAN_MIN), -1);
}

static void a_client_above_its_rate_limit_gets_429(void **state)
{
    struct fixture *fixture = *state;
    struct limit limit;

    set_keys(fixture, INSTANT_NONE);
    send_token(fixture);
    fixture->config.rate_read = 2;
    assert_true(ask(fixture, &reading, 0, &limit));
    assert_int_equal(limit.most, 2);
    assert_int_equal(limit.left, 1);
    assert_true(ask(fixture, &reading, 0, &limit));
    assert_false(ask(fixture, &reading, 0, &limit));
    assert_int_equal(fixture->call.status, 429);
    assert_true(str_eq(fixture->call.fields[0].name, STR("Retry-After")));
    assert_int_equal(report(fixture, 0), -1);       /* not a denial            */
    assert_true(ask(fixture, &working, 0, &limit)); /* workers are not limited */
    assert_int_equal(limit.most, 0);
    fixture->request.field_count = 0; /* an address is another client */
    assert_false(ask(fixture, &reading, 0, &limit));
    assert_int_equal(fixture->call.status, 401);
    assert_false(ask(fixture, &working, 0, &limit)); /* without a worker token */
    assert_int_equal(fixture->call.status, 401);
    assert_false(ask(fixture, &working, 0, &limit));
    assert_int_equal(fixture->call.status, 429);
}

/* The limit counts all clients together, but not workers. */
static void a_namespace_above_its_rate_limit_gets_429(void **state)
{
    struct fixture *fixture = *state;
    struct namespace_entry entry = {.id = 7, .settings.plain.rate_read = 3};
    struct namespace_entry other = {.id = 8, .settings.plain.rate_read = 3};
    struct limit limit;

    set_keys(fixture, INSTANT_NONE);
    send_token(fixture);
    fixture->config.rate_read = 10;
    for (int i = 0; i < 3; i++) {
        assert_true(ask(fixture, &reading, 0, &limit));
        assert_true(
            admission_check_namespace(fixture->admission, &fixture->call, &entry, &limit));
        assert_int_equal(limit.most, 3);
        assert_int_equal(limit.left, 2 - i);
        assert_true(ask(fixture, &working, 0, &limit));
        assert_true(
            admission_check_namespace(fixture->admission, &fixture->call, &entry, &limit));
    }
    assert_true(ask(fixture, &reading, 0, &limit));
    assert_false(admission_check_namespace(fixture->admission, &fixture->call, &entry, &limit));
    assert_int_equal(fixture->call.status, 429);
    assert_non_null(strstr(fixture->call.answer.ptr, "of the namespace"));
    assert_true(str_eq(fixture->call.fields[0].name, STR("Retry-After")));
    assert_true(admission_check_namespace(fixture->admission, &fixture->call, &other, &limit));
}

int main(void)
{
#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(no_one_is_admitted_before_the_tokens_are_known),
        WITH_FIXTURE(equal_denials_become_one_entry_with_a_count),
        WITH_FIXTURE(denials_of_many_addresses_become_few_entries),
        WITH_FIXTURE(the_entries_per_minute_are_limited),
        WITH_FIXTURE(a_revoked_or_expired_token_is_not_allowed_any_more),
        WITH_FIXTURE(the_last_use_of_a_token_is_recorded_once_per_minute),
        WITH_FIXTURE(a_client_above_its_rate_limit_gets_429),
        WITH_FIXTURE(a_namespace_above_its_rate_limit_gets_429),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
