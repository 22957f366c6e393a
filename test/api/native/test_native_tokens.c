/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating, listing and revoking tokens.
 */
#include "world.h"

#include <stdlib.h>

#define FIRST "{'name':'root','role':'admin','namespace':'*'}"

static char root[128];

static void make(const char *body, char *ret_token, char *ret_id)
{
    assert_int_equal(post("/api/v1/tokens", js("%s", body)), 201);
    snprintf(ret_token, 128, "%s", text_at("token").ptr);
    if (ret_id)
        snprintf(ret_id, 128, "%s", text_at("id").ptr);
}

static void make_first(void)
{
    world.checks_tokens = true;
    make(FIRST, root, NULL);
    world.token = root;
}

static void a_token_is_shown_once_and_listed_without_its_secret(void **state)
{
    char token[128], id[128];

    (void)state;
    make_first();
    make("{'name':'ci','role':'editor','expiresIn':'90d'}", token, id);
    assert_json("name", "'ci'");
    assert_json("role", "'editor'");
    assert_json("namespace", "'default'");
    assert_json("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("createdBy", "'root'");
    assert_json("expiresAt", "'2026-04-05T10:00:00.000Z'");
    assert_json("lastUsedAt", "null");
    assert_int_equal(strncmp(token, js("bf_editor_%s_", id), strlen("bf_editor__") + 12), 0);
    assert_int_equal(get("/api/v1/tokens"), 200);
    assert_null(strstr(world.call.answer.ptr, strrchr(token, '_') + 1));
    assert_null(strstr(world.call.answer.ptr, "hash"));
    assert_json("tokens.2", "absent");
    assert_int_equal(get("/api/v1/tokens?namespace=default"), 200);
    assert_json("tokens.0.name", "'ci'");
    assert_json("tokens.1", "absent");
}

static void errors_name_the_field_of_a_token(void **state)
{
    static const struct {
        const char *body, *code, *where;
    } wrong[] = {
        {"{", "invalid_json", ""},
        {"{'role':'admin'}", "invalid_field", "name"},
        {"{'name':'x'}", "invalid_field", "role"},
        {"{'name':'x','role':'king'}", "invalid_field", "role"},
        {"{'name':'','role':'admin'}", "invalid_field", "name"},
        {"{'name':'x','role':'admin','rolle':1}", "invalid_field", "rolle"},
        {"{'name':'x','role':'admin','expiresIn':'0s'}", "invalid_field", "expiresIn"},
        {"{'name':'x','role':'admin','expiresAt':'2020-01-01T00:00:00Z'}", "invalid_field",
         "expiresAt"},
        {"{'name':'x','role':'admin','expiresIn':'1h','expiresAt':'2030-01-01T00:00:00Z'}",
         "invalid_field", "expiresAt"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(post("/api/v1/tokens", js("%s", wrong[i].body)), 400, wrong[i].code,
                       wrong[i].where);
    make_first();
    assert_refused(
        post("/api/v1/tokens", js("{'name':'x','role':'admin','namespace':'nowhere'}")), 404,
        "not_found", "");
    assert_refused(ask("DELETE /api/v1/tokens/000000000000", NULL, NULL), 404, "not_found", "");
    assert_refused(ask("DELETE /api/v1/tokens/x", NULL, NULL), 404, "not_found", "");
    assert_refused(get("/api/v1/tokens?cursor=x"), 400, "invalid_field", "");
}

/* Otherwise no one could create another token. */
static void the_first_token_is_an_admin_of_all(void **state)
{
    (void)state;
    world.checks_tokens = true;
    assert_refused(post("/api/v1/tokens", js("{'name':'x','role':'viewer'}")), 409, "bad_state",
                   "");
    assert_refused(post("/api/v1/tokens", js("{'name':'x','role':'admin'}")), 409, "bad_state",
                   "");
    assert_refused(post("/api/v1/tokens", js("{'name':'x','role':'admin','namespace':'*',"
                                             "'expiresIn':'90d'}")),
                   409, "bad_state", "");
    make_first();
}

/* After it expires, no one could create another token. */
static void an_expiring_admin_token_cannot_be_the_last(void **state)
{
    char token[128], id[128], root_id[128];

    (void)state;
    make_first();
    snprintf(root_id, sizeof root_id, "%.12s", root + strlen("bf_admin_"));
    make("{'name':'guest','role':'admin','namespace':'*','expiresIn':'90d'}", token, id);
    assert_refused(ask(js("DELETE /api/v1/tokens/%s", root_id), NULL, NULL), 409, "bad_state",
                   "");
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    make("{'name':'other','role':'admin','namespace':'*'}", token, id);
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", root_id), NULL, NULL), 204);
}

static void a_revoked_token_is_refused(void **state)
{
    char token[128], id[128];

    (void)state;
    make_first();
    make("{'name':'ci','role':'viewer'}", token, id);
    world.token = token;
    assert_int_equal(get("/api/v1/schedules"), 200);
    world.token = root;
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 404);
    world.token = token;
    assert_refused(get("/api/v1/schedules"), 401, "unauthorized", "");
}

/* Two tokens are valid at the same time, so that access is never interrupted. */
static void a_token_is_changed_for_another_without_a_gap(void **state)
{
    char old[128], id[128], new[128];

    (void)state;
    make_first();
    make("{'name':'ci','role':'viewer'}", old, id);
    make("{'name':'ci','role':'viewer'}", new, NULL);
    assert_string_not_equal(old, new);
    world.token = old;
    assert_int_equal(get("/api/v1/schedules"), 200);
    world.token = new;
    assert_int_equal(get("/api/v1/schedules"), 200);
    world.token = root;
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    world.token = old;
    assert_int_equal(get("/api/v1/schedules"), 401);
    world.token = new;
    assert_int_equal(get("/api/v1/schedules"), 200);
}

static void the_last_admin_token_must_be_deleted_last(void **state)
{
    char token[128], id[128], root_id[128];

    (void)state;
    make_first();
    snprintf(root_id, sizeof root_id, "%.12s", root + strlen("bf_admin_"));
    make("{'name':'ci','role':'viewer'}", token, id);
    assert_refused(ask(js("DELETE /api/v1/tokens/%s", root_id), NULL, NULL), 409, "bad_state",
                   "");
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", root_id), NULL, NULL), 204);
    world.token = NULL; /* as before the first token */
    assert_int_equal(get("/api/v1/schedules"), 200);
}

static void an_admin_of_one_namespace_keeps_to_it(void **state)
{
    char team[128], other_id[128], other[128];

    (void)state;
    make_first();
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, ""), 201);
    make("{'name':'boss','role':'admin','namespace':'team'}", team, NULL);
    make("{'name':'ci','role':'viewer','namespace':'default'}", other, other_id);
    world.token = team;
    assert_int_equal(post("/api/v1/tokens", js("{'name':'x','role':'admin'}")), 201);
    assert_json("namespace", "'team'");
    assert_refused(post("/api/v1/tokens", js("{'name':'x','role':'viewer','namespace':'*'}")),
                   403, "forbidden", "");
    assert_refused(
        post("/api/v1/tokens", js("{'name':'x','role':'viewer','namespace':'default'}")), 404,
        "not_found", "");
    assert_json("detail", "'namespace \\'default\\' does not exist'");
    assert_refused(ask(js("DELETE /api/v1/tokens/%s", other_id), NULL, NULL), 404, "not_found",
                   "");
    assert_int_equal(get("/api/v1/tokens"), 200);
    assert_json("tokens.0.namespace", "'team'");
    assert_json("tokens.1.namespace", "'team'");
    assert_json("tokens.2", "absent");
}

static void a_repeated_request_makes_no_second_token(void **state)
{
    const char *what = "POST /api/v1/tokens", *key = "Idempotency-Key: k\r\n";

    (void)state;
    make_first();
    assert_int_equal(ask(what, key, js("{'name':'x','role':'viewer'}")), 201);
    assert_refused(ask(what, key, js("{'name':'x','role':'viewer'}")), 409, "exists", "");
    assert_int_equal(get("/api/v1/tokens"), 200);
    assert_json("tokens.2", "absent");
}

static void a_list_continues_at_its_cursor(void **state)
{
    char token[128];
    int seen = 0;

    (void)state;
    make_first();
    for (int i = 0; i < 4; i++)
        make("{'name':'x','role':'viewer'}", token, NULL);
    assert_int_equal(get("/api/v1/tokens?limit=2"), 200);
    while (strcmp(json_at("cursor"), "null") != 0) {
        assert_json("tokens.2", "absent");
        seen += 2;
        assert_int_equal(get(js("/api/v1/tokens?limit=2&cursor=%s", text_at("cursor").ptr)),
                         200);
    }
    assert_int_equal(seen, 4);
    assert_json("tokens.1", "absent");
}

/* The bytes of the file and its WAL contain neither the secret nor the whole token. */
static void the_database_holds_no_secret(void **state)
{
    static const char *const names[] = {"", "-wal"};
    char token[128], path[200];
    const char *secret;

    (void)state;
    make_first();
    make("{'name':'canary','role':'worker'}", token, NULL);
    secret = strrchr(token, '_') + 1;
    for (int i = 0; i < 2; i++) {
        size_t size = 16 << 20, len;
        char *bytes = malloc(size);
        FILE *file;

        snprintf(path, sizeof path, "%s%s", world_file(), names[i]);
        file = fopen(path, "rb");
        assert_non_null(file);
        len = fread(bytes, 1, size, file);
        assert_true(len < size);
        if (i == 1)
            assert_non_null(memmem(bytes, len, "canary", 6));
        assert_null(memmem(bytes, len, secret, strlen(secret)));
        fclose(file);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_token_is_shown_once_and_listed_without_its_secret),
        API_TEST(errors_name_the_field_of_a_token),
        API_TEST(the_first_token_is_an_admin_of_all),
        API_TEST(an_expiring_admin_token_cannot_be_the_last),
        API_TEST(a_revoked_token_is_refused),
        API_TEST(a_token_is_changed_for_another_without_a_gap),
        API_TEST(the_last_admin_token_must_be_deleted_last),
        API_TEST(an_admin_of_one_namespace_keeps_to_it),
        API_TEST(a_repeated_request_makes_no_second_token),
        API_TEST(a_list_continues_at_its_cursor),
        API_TEST(the_database_holds_no_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
