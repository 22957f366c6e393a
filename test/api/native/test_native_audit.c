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

static void an_entry_has_the_caller_the_operation_and_the_address(void **state)
{
    char expected[512];

    (void)state;
    make("a");
    world.now += SPAN_S;
    assert_int_equal(ask("POST /api/v1/schedules/a/pause", NULL, NULL), 200);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_json("entries.0.operation", "'schedule.pause'");
    assert_json("entries.0.object", "'a'");
    assert_json("entries.0.version", "2");
    assert_json("entries.0.seq", "2");
    snprintf(expected, sizeof expected,
             "{'at':'2026-01-05T10:00:00.000Z','node':1,'seq':1,'by':'test','token':null,"
             "'from':'127.0.0.1','operation':'schedule.create','namespace':'default',"
             "'object':'a','result':'done','version':1,'after':'%s','count':1,"
             "'requestId':'made-a'}",
             text_at("entries.1.after").ptr);
    assert_json("entries.1", expected);
    assert_json("entries.2", "absent");
    assert_json("cursor", "null");
}

static void operations_that_the_engine_refused_are_logged(void **state)
{
    (void)state;
    make("a");
    assert_int_equal(post("/api/v1/schedules", js(BODY, "a")), 409);
    assert_int_equal(ask("DELETE /api/v1/schedules/b", NULL, NULL), 404);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_json("entries.0.operation", "'schedule.delete'");
    assert_json("entries.0.object", "'b'");
    assert_json("entries.0.result", "'notFound'");
    assert_json("entries.1.result", "'conflict'");
    assert_json("entries.2.result", "'done'");
}

static void requests_without_effect_are_not_logged(void **state)
{
    const char *key = "Idempotency-Key: k\r\n";

    (void)state;
    assert_int_equal(ask("POST /api/v1/schedules", key, js(BODY, "a")), 201);
    assert_int_equal(ask("POST /api/v1/schedules", key, js(BODY, "a")), 201);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_int_equal(post("/api/v1/schedules", "{"), 400);
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_json("entries.1", "absent");
}

/* `before` of each edit is `after` of the previous one; other operations have neither. */
static void an_edit_has_the_fingerprints_before_and_after(void **state)
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
    assert_json("entries.5.before", "absent");
    snprintf(first, sizeof first, "%s", text_at("entries.5.after").ptr);
    assert_int_equal(strlen(first), 2 * AUDIT_FINGERPRINT);
    assert_json("entries.4.operation", "'schedule.pause'");
    assert_json("entries.4.before", "absent");
    assert_json("entries.4.after", "absent");
    assert_string_equal(text_at("entries.3.before").ptr, first);
    snprintf(second, sizeof second, "%s", text_at("entries.3.after").ptr);
    assert_string_not_equal(second, first);
    assert_string_equal(text_at("entries.2.before").ptr, second);
    snprintf(second, sizeof second, "%s", text_at("entries.2.after").ptr);
    assert_string_equal(text_at("entries.1.before").ptr, second);
    assert_json("entries.1.after", "absent");
    assert_string_equal(text_at("entries.0.after").ptr, first); /* the same document again */
}

static void tokens_are_named_by_their_ids(void **state)
{
    char root[128], id[16];

    (void)state;
    world.checks_tokens = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    world.token = root;
    make("a");
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_json("entries.0.by", "'root'");
    assert_string_equal(text_at("entries.0.token").ptr, id);
    assert_json("entries.1.by", "'local'");
    assert_json("entries.1.operation", "'token.create'");
    assert_string_equal(text_at("entries.1.object").ptr, id);
    assert_null(memmem(world.call.answer.ptr, world.call.answer.len, root, strlen(root)));
}

static void a_namespace_sees_its_own_entries_and_an_admin_sees_all(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, ""), 201);
    make("a");
    assert_int_equal(post("/api/v1/schedules?namespace=team", js(BODY, "b")), 201);
    assert_int_equal(get("/api/v1/audit?namespace=team"), 200);
    assert_json("entries.0.object", "'b'");
    assert_json("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?namespace=default"), 200);
    assert_json("entries.0.object", "'a'");
    assert_json("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?everything=true"), 200);
    assert_json("entries.2.operation", "'namespace.put'");
    assert_json("entries.2.namespace", "null");
    assert_json("entries.2.object", "'team'");
    assert_json("entries.3", "absent");
}

static void entries_can_be_filtered(void **state)
{
    (void)state;
    make("a");
    make("b");
    world.now += SPAN_H;
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/audit?object=a"), 200);
    assert_json("entries.0.operation", "'schedule.delete'");
    assert_json("entries.1.operation", "'schedule.create'");
    assert_json("entries.2", "absent");
    assert_int_equal(get("/api/v1/audit?operation=schedule.create&object=b&by=test"), 200);
    assert_json("entries.0.object", "'b'");
    assert_json("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?by=ann"), 200);
    assert_json("entries.0", "absent");
    assert_int_equal(get("/api/v1/audit?from=2026-01-05T10:30:00Z"), 200);
    assert_json("entries.0.operation", "'schedule.delete'");
    assert_json("entries.1", "absent");
    assert_int_equal(get("/api/v1/audit?to=2026-01-05T10:30:00Z"), 200);
    assert_json("entries.0.object", "'b'");
    assert_json("entries.1.object", "'a'");
    assert_json("entries.2", "absent");
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
static void a_page_may_begin_and_end_inside_a_turn(void **state)
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
            if (strcmp(json_at(path), "absent") != 0)
                buf_str(&seen, text_at(path));
        }
        if (strcmp(json_at("cursor"), "null") == 0)
            break;
        assert_int_equal(get(js("/api/v1/audit?limit=3&cursor=%s", text_at("cursor").ptr)),
                         200);
    }
    assert_string_equal(text, "hgfedcba");
}

/* ---- the chain ---- */

static void verify(const char *cursor)
{
    assert_int_equal(
        get(cursor ? js("/api/v1/audit/verify?cursor=%s", cursor) : "/api/v1/audit/verify"),
        200);
}

static void an_unmodified_chain_is_intact(void **state)
{
    char first[80];

    (void)state;
    verify(NULL);
    assert_json("intact", "true");
    assert_json("nodes", "[]");
    for (int i = 0; i < 20; i++)
        make(js("s%d", i));
    verify(NULL);
    assert_json("intact", "true");
    assert_json("nodes.0.name", "'a'");
    assert_json("nodes.0.entries", "20");
    assert_json("nodes.0.to", "20");
    assert_json("nodes.0.broken", "null");
    assert_int_equal(text_at("nodes.0.head").len, 64);
    snprintf(first, sizeof first, "%s", text_at("nodes.0.head").ptr);
    verify(text_at("cursor").ptr);
    assert_json("nodes", "[]");
    assert_json("cursor", "null");
    make("more");
    verify(NULL);
    assert_string_not_equal(text_at("nodes.0.head").ptr, first);
    assert_refused(get("/api/v1/audit/verify?cursor=x"), 400, "invalid_field", "");
}

static void tamper_and_verify(const char *sql)
{
    struct err err = {.text = ""};

    if (db_exec(world.db, str_of(sql), &err) != RC_OK)
        fail_msg("%s", err.text);
    verify(NULL);
    assert_json("intact", "false");
    assert_json("nodes.0.to", "20");
}

static void make_twenty(void)
{
    for (int i = 0; i < 20; i++)
        make(js("s%d", i));
}

static void an_edited_row_is_found(void **state)
{
    (void)state;
    make_twenty();
    tamper_and_verify(
        "UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 's7', 's8') AS BLOB)"
        " WHERE seq = 8");
    assert_json("nodes.0.entries", "19");
    assert_json("nodes.0.broken", "'its content is not what was written'");
    assert_json("nodes.0.damaged",
                "[{'seq':8,'reason':'its content is not what was written'}]");
}

static void an_edited_time_is_found(void **state)
{
    (void)state;
    make_twenty();
    tamper_and_verify("UPDATE audit SET at = at - 1 WHERE seq = 20");
    assert_json("nodes.0.damaged.0.seq", "20");
}

static void a_deleted_row_is_found(void **state)
{
    (void)state;
    make_twenty();
    tamper_and_verify("DELETE FROM audit WHERE seq = 5");
    assert_json("nodes.0.damaged", "[{'seq':6,'reason':'entries before it are missing'}]");
}

/* Its own hash is valid, but that of the next row is not. */
static void a_rewritten_row_is_found(void **state)
{
    struct audit_row row = {.node = 1, .seq = 5, .count = 1};
    struct db_result rows = {0};
    struct err err = {.text = ""};

    (void)state;
    make_twenty();
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
    verify(NULL);
    assert_json("intact", "false");
    assert_json("nodes.0.damaged",
                "[{'seq':6,'reason':'it does not follow the one before it'}]");
}

/* Two rows are damaged: both are named, and all others are verified and listed. */
static void damaged_rows_end_neither_list_nor_verification(void **state)
{
    char first[80];

    (void)state;
    make_twenty();
    tamper_and_verify("UPDATE audit SET body = X'ff' WHERE seq IN (3, 7)");
    assert_json("nodes.0.entries", "18");
    assert_json("nodes.0.damaged.0.seq", "3");
    assert_json("nodes.0.damaged.1.seq", "7");
    assert_json("nodes.0.damaged.2", "absent");
    verify(text_at("cursor").ptr);
    assert_json("cursor", "null");
    assert_int_equal(get("/api/v1/audit?object=s1&limit=2"), 200);
    assert_json("entries.0", "{'at':'2026-01-05T10:00:00.000Z','node':1,'seq':7,'by':null,"
                             "'token':null,'from':null,'operation':null,'namespace':null,"
                             "'object':null,'result':'damaged','count':1,'requestId':null}");
    assert_json("entries.1.seq", "3");
    snprintf(first, sizeof first, "%s", text_at("cursor").ptr);
    assert_int_equal(get(js("/api/v1/audit?object=s1&cursor=%s", first)), 200);
    assert_json("entries.0.object", "'s1'");
    assert_json("entries.1", "absent");
}

/* A page has at most a hundred damaged rows. */
static void the_damage_of_a_long_chain_takes_several_pages(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    for (int i = 0; i < 130; i++)
        make(js("s%d", i));
    if (db_exec(world.db, STR("UPDATE audit SET count = 0 WHERE seq > 5"), &err) != RC_OK)
        fail_msg("%s", err.text);
    verify(NULL);
    assert_json("nodes.0.damaged.99.seq", "105");
    assert_json("nodes.0.damaged.100", "absent");
    verify(text_at("cursor").ptr);
    assert_json("nodes.0.damaged.0.seq", "106");
    assert_json("nodes.0.damaged.24.seq", "130");
    assert_json("nodes.0.damaged.25", "absent");
}

static void the_chain_continues_after_a_restart(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make("a");
    make("b");
    if (engine_boot(world.engine, world.db, world.now, &err) != RC_OK)
        fail_msg("%s", err.text);
    make("c");
    verify(NULL);
    assert_json("intact", "true");
    assert_json("nodes.0.entries", "3");
}

static void the_chain_is_intact_after_pruning(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make_twenty();
    prune_audit(world.db, 1, world.now + 1, 5);
    if (db_flush(world.db, NULL, &err) != RC_OK)
        fail_msg("%s", err.text);
    verify(NULL);
    assert_json("intact", "true");
    assert_json("nodes.0.entries", "15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(an_entry_has_the_caller_the_operation_and_the_address),
        API_TEST(operations_that_the_engine_refused_are_logged),
        API_TEST(requests_without_effect_are_not_logged),
        API_TEST(an_edit_has_the_fingerprints_before_and_after),
        API_TEST(tokens_are_named_by_their_ids),
        API_TEST(a_namespace_sees_its_own_entries_and_an_admin_sees_all),
        API_TEST(entries_can_be_filtered),
        API_TEST(a_page_may_begin_and_end_inside_a_turn),
        API_TEST(an_unmodified_chain_is_intact),
        API_TEST(an_edited_row_is_found),
        API_TEST(an_edited_time_is_found),
        API_TEST(a_deleted_row_is_found),
        API_TEST(a_rewritten_row_is_found),
        API_TEST(the_chain_continues_after_a_restart),
        API_TEST(the_chain_is_intact_after_pruning),
        API_TEST(damaged_rows_end_neither_list_nor_verification),
        API_TEST(the_damage_of_a_long_chain_takes_several_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
