/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit log: its entries, pages and filters, and the verification of its hash chains.
 */
#include "world.h"

#define BODY "{'id':'%s','action':{'type':'queue','queue':'q'}}"

static void make(const char *id)
{
    assert_int_equal(
        ask("POST /api/v1/schedules", js("X-Request-Id: made-%s\r\n", id), js(BODY, id)), 201);
}

static void a_change_is_told_with_who_what_and_from_where(void **state)
{
    char expected[512];

    (void)state;
    make("a");
    world.now += SPAN_S;
    assert_int_equal(ask("POST /api/v1/schedules/a/pause", NULL, NULL), 200);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_told("entries.0.operation", "'schedule.pause'");
    assert_told("entries.0.object", "'a'");
    assert_told("entries.0.version", "2");
    assert_told("entries.0.seq", "2");
    snprintf(expected, sizeof expected,
             "{'at':'2026-01-05T10:00:00.000Z','node':1,'seq':1,'by':'test','token':null,"
             "'from':'127.0.0.1','operation':'schedule.create','namespace':'default',"
             "'object':'a','result':'done','version':1,'after':'%s','count':1,"
             "'requestId':'made-a'}",
             text_at("entries.1.after").ptr);
    assert_told("entries.1", expected);
    assert_told("entries.2", "absent");
    assert_told("cursor", "null");
}

static void what_the_engine_refused_is_told_too(void **state)
{
    (void)state;
    make("a");
    assert_int_equal(post("/api/v1/schedules", js(BODY, "a")), 409);
    assert_int_equal(ask("DELETE /api/v1/schedules/b", NULL, NULL), 404);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_told("entries.0.operation", "'schedule.delete'");
    assert_told("entries.0.object", "'b'");
    assert_told("entries.0.result", "'notFound'");
    assert_told("entries.1.result", "'conflict'");
    assert_told("entries.2.result", "'done'");
}

/* Repeated requests, reads and invalid requests are not logged. */
static void what_came_again_is_not_told_again(void **state)
{
    const char *key = "Idempotency-Key: k\r\n";

    (void)state;
    assert_int_equal(ask("POST /api/v1/schedules", key, js(BODY, "a")), 201);
    assert_int_equal(ask("POST /api/v1/schedules", key, js(BODY, "a")), 201);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_int_equal(post("/api/v1/schedules", "{"), 400);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_told("entries.1", "absent");
}

/* `before` of each edit is `after` of the previous one; other operations have neither. */
static void a_change_tells_how_the_schedule_was_and_is(void **state)
{
    char first[64], second[64];

    (void)state;
    make("a");
    assert_int_equal(post("/api/v1/schedules/a/pause", "{}"), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/a", NULL, js("{'description':'other'}")),
                     200);
    assert_int_equal(ask("PATCH /api/v1/schedules/a", NULL, js("{'enabled':false}")), 200);
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    make("a");
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_told("entries.5.before", "absent");
    snprintf(first, sizeof first, "%s", text_at("entries.5.after").ptr);
    assert_int_equal(strlen(first), 2 * AUDIT_FINGERPRINT);
    assert_told("entries.4.operation", "'schedule.pause'");
    assert_told("entries.4.before", "absent");
    assert_told("entries.4.after", "absent");
    assert_string_equal(text_at("entries.3.before").ptr, first);
    snprintf(second, sizeof second, "%s", text_at("entries.3.after").ptr);
    assert_string_not_equal(second, first);
    assert_string_equal(text_at("entries.2.before").ptr, second);
    snprintf(second, sizeof second, "%s", text_at("entries.2.after").ptr);
    assert_string_equal(text_at("entries.1.before").ptr, second);
    assert_told("entries.1.after", "absent");
    assert_string_equal(text_at("entries.0.after").ptr, first); /* the same document again */
}

static void tokens_are_named_by_their_ids(void **state)
{
    char root[128], id[16];

    (void)state;
    world.is_guarded = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    world.token = root;
    make("a");
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_told("entries.0.by", "'root'");
    assert_string_equal(text_at("entries.0.token").ptr, id);
    assert_told("entries.1.by", "'local'");
    assert_told("entries.1.operation", "'token.create'");
    assert_string_equal(text_at("entries.1.object").ptr, id);
    assert_null(memmem(world.call.answer.ptr, world.call.answer.len, root, strlen(root)));
}

static void each_namespace_sees_its_own_and_the_server_everything(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, ""), 201);
    make("a");
    assert_int_equal(post("/api/v1/schedules?namespace=team", js(BODY, "b")), 201);
    assert_int_equal(get("/api/v1/audit?namespace=team"), 200);
    assert_told("entries.0.object", "'b'");
    assert_told("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?namespace=default"), 200);
    assert_told("entries.0.object", "'a'");
    assert_told("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?everything=true"), 200);
    assert_told("entries.2.operation", "'namespace.put'");
    assert_told("entries.2.namespace", "null");
    assert_told("entries.2.object", "'team'");
    assert_told("entries.3", "absent");
}

static void entries_are_found_by_what_they_say(void **state)
{
    (void)state;
    make("a");
    make("b");
    world.now += SPAN_H;
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/audit?object=a"), 200);
    assert_told("entries.0.operation", "'schedule.delete'");
    assert_told("entries.1.operation", "'schedule.create'");
    assert_told("entries.2", "absent");
    assert_int_equal(get("/api/v1/audit?operation=schedule.create&object=b&by=test"), 200);
    assert_told("entries.0.object", "'b'");
    assert_told("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?by=ann"), 200);
    assert_told("entries.0", "absent");
    assert_int_equal(get("/api/v1/audit?from=2026-01-05T10:30:00Z"), 200);
    assert_told("entries.0.operation", "'schedule.delete'");
    assert_told("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?to=2026-01-05T10:30:00Z"), 200);
    assert_told("entries.0.object", "'b'");
    assert_told("entries.1.object", "'a'");
    assert_told("entries.2", "absent");
    assert_refused(get("/api/v1/audit?since=1"), 400, "invalid_field", "");
    assert_refused(get("/api/v1/audit?from=x"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/audit?from=2026-01-05T10:30:00Z&to=2026-01-05T10:00:00Z"), 400,
                   "invalid_field", "from");
    assert_int_equal(get("/api/v1/audit?from=2026-01-05T10:00:00Z&to=2026-01-05T10:00:00Z"),
                     200);
    assert_refused(get("/api/v1/audit?everything=x"), 400, "invalid_field", "everything");
    assert_refused(get("/api/v1/audit?cursor=1.2.3"), 400, "invalid_field", "");
}

/* Seven entries in one turn and one after it: pages begin and end inside a row. */
static void pages_go_on_inside_of_a_turn(void **state)
{
    static const char bulk[] = "{'items':[" BODY "," BODY "," BODY "," BODY "," BODY "," BODY
                               "," BODY "]}";
    char text[64];
    struct buf seen = BUF(text);

    (void)state;
    assert_int_equal(
        post("/api/v1/bulk/schedules", js(bulk, "a", "b", "c", "d", "e", "f", "g")), 200);
    make("h");
    assert_int_equal(get("/api/v1/audit?limit=3"), 200);
    for (int i = 0; i < 10; i++) {
        for (int e = 0; e < 3; e++) {
            char path[32];

            snprintf(path, sizeof path, "entries.%d.object", e);
            if (strcmp(told(path), "absent") != 0)
                buf_str(&seen, text_at(path));
        }
        if (strcmp(told("cursor"), "null") == 0)
            break;
        assert_int_equal(get(js("/api/v1/audit?limit=3&cursor=%s", text_at("cursor").ptr)),
                         200);
    }
    assert_string_equal(text, "hgfedcba");
}

/* ---- the chain ---- */

static void proof(const char *cursor)
{
    assert_int_equal(
        get(cursor ? js("/api/v1/audit/verify?cursor=%s", cursor) : "/api/v1/audit/verify"),
        200);
}

static void a_chain_that_nobody_touched_is_intact(void **state)
{
    char first[80];

    (void)state;
    proof(NULL);
    assert_told("intact", "true");
    assert_told("nodes", "[]");
    for (int i = 0; i < 20; i++)
        make(js("s%d", i));
    proof(NULL);
    assert_told("intact", "true");
    assert_told("nodes.0.name", "'a'");
    assert_told("nodes.0.entries", "20");
    assert_told("nodes.0.to", "20");
    assert_told("nodes.0.broken", "null");
    assert_int_equal(text_at("nodes.0.head").len, 64);
    snprintf(first, sizeof first, "%s", text_at("nodes.0.head").ptr);
    proof(text_at("cursor").ptr);
    assert_told("nodes", "[]");
    assert_told("cursor", "null");
    make("more");
    proof(NULL);
    assert_string_not_equal(text_at("nodes.0.head").ptr, first);
    assert_refused(get("/api/v1/audit/verify?cursor=x"), 400, "invalid_field", "");
}

static void tamper(const char *sql)
{
    struct err err = {.text = ""};

    if (db_exec(world.db, str_of(sql), &err) != RC_OK)
        fail_msg("%s", err.text);
    proof(NULL);
    assert_told("intact", "false");
    assert_told("cursor", "null");
}

static void twenty(void)
{
    for (int i = 0; i < 20; i++)
        make(js("s%d", i));
}

static void an_edited_row_is_found(void **state)
{
    (void)state;
    twenty();
    tamper("UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 's7', 's8') AS BLOB)"
           " WHERE seq = 8");
    assert_told("nodes.0.to", "8");
    assert_told("nodes.0.broken", "'its content is not what was written'");
}

static void an_edited_time_is_found(void **state)
{
    (void)state;
    twenty();
    tamper("UPDATE audit SET at = at - 1 WHERE seq = 20");
    assert_told("nodes.0.to", "20");
}

static void a_row_that_was_taken_out_is_found(void **state)
{
    (void)state;
    twenty();
    tamper("DELETE FROM audit WHERE seq = 5");
    assert_told("nodes.0.to", "6");
    assert_told("nodes.0.broken", "'entries before it are missing'");
}

/* Its own hash is valid, but that of the next row is not. */
static void a_row_that_was_written_anew_is_found(void **state)
{
    struct audit_row row = {.node = 1, .seq = 5, .count = 1};
    struct db_result rows = {0};
    struct err err = {.text = ""};

    (void)state;
    twenty();
    audit_of(world.db, 1, 4, 1, &rows);
    if (db_flush(world.db, world.arena, &err) != RC_OK)
        fail_msg("%s", err.text);
    audit_read(&rows, 0, &row);
    row.at++;
    audit_row_hash(&row, row.hash);
    assert_int_equal(db_exec(world.db, STR("DELETE FROM audit WHERE seq = 5"), &err), RC_OK);
    audit_insert(world.db, &row);
    if (db_flush(world.db, NULL, &err) != RC_OK)
        fail_msg("%s", err.text);
    proof(NULL);
    assert_told("intact", "false");
    assert_told("nodes.0.to", "6");
    assert_told("nodes.0.broken", "'it does not follow the one before it'");
}

static void the_chain_goes_on_after_a_new_start(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make("a");
    make("b");
    if (engine_boot(world.engine, world.db, world.now, &err) != RC_OK)
        fail_msg("%s", err.text);
    make("c");
    proof(NULL);
    assert_told("intact", "true");
    assert_told("nodes.0.entries", "3");
}

static void what_is_old_goes_and_the_rest_still_holds(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    twenty();
    prune_audit(world.db, 1, world.now + 1, 5);
    if (db_flush(world.db, NULL, &err) != RC_OK)
        fail_msg("%s", err.text);
    proof(NULL);
    assert_told("intact", "true");
    assert_told("nodes.0.entries", "15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_change_is_told_with_who_what_and_from_where),
        SERVED(what_the_engine_refused_is_told_too),
        SERVED(what_came_again_is_not_told_again),
        SERVED(a_change_tells_how_the_schedule_was_and_is),
        SERVED(tokens_are_named_by_their_ids),
        SERVED(each_namespace_sees_its_own_and_the_server_everything),
        SERVED(entries_are_found_by_what_they_say),
        SERVED(pages_go_on_inside_of_a_turn),
        SERVED(a_chain_that_nobody_touched_is_intact),
        SERVED(an_edited_row_is_found),
        SERVED(an_edited_time_is_found),
        SERVED(a_row_that_was_taken_out_is_found),
        SERVED(a_row_that_was_written_anew_is_found),
        SERVED(the_chain_goes_on_after_a_new_start),
        SERVED(what_is_old_goes_and_the_rest_still_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
