/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls every operation with a token of every role: for the namespace of the token, for another
 * namespace and for a missing one.
 *
 * The list in expected_rights.c is independent of the table of operations: an operation that is
 * not in it, or that requires another right, fails the test, so that a change must be made in
 * both.
 */
#include "expected_rights.h"
#include "world.h"

#include <stdlib.h>

#include "api/access/audit_note.h"
#include "api/access/roles.h"

enum { PATH_MAX_BYTES = 256 };
enum { VIEWER, OPERATOR, EDITOR, ADMIN, WORKER, TWO, ROLES = TWO + 3 };
enum { OF_TEAM, OF_ALL }; /* the namespace of a token: `team`, or all */

static const char *const roles[ROLES] = {"viewer",          "operator",     "editor",
                                         "admin",           "worker",       "viewer+worker",
                                         "operator+worker", "editor+worker"};
static char tokens[ROLES][2][128];

static const char *who_may(const char *id)
{
    for (int i = 0; i < expected_right_count; i++)
        if (strcmp(expected_rights[i].id, id) == 0)
            return expected_rights[i].who;
    fail_msg("%s is not in the list of allowed roles: add it", id);
    return "";
}

static void make_tokens(void)
{
    char root[128];

    world.checks_tokens = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    world.token = root;
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, ""), 201);
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    for (int r = 0; r < ROLES; r++)
        for (int all = 0; all < 2; all++) {
            assert_int_equal(
                post("/api/v1/tokens", js("{'name':'t','role':'%s','namespace':'%s'}", roles[r],
                                          all ? "*" : "team")),
                201);
            snprintf(tokens[r][all], 128, "%s", text_at("token").ptr);
        }
}

/* "GET /api/v1/schedules/x" of an operation; x does not exist. */
static const char *target_of(const struct operation *op, const char *namespace)
{
    static char text[PATH_MAX_BYTES];
    struct buf out = BUF(text);
    char run[RUN_ID_TEXT_MAX];

    run_id_format(&(struct run_id){1, 2, 3}, run);
    buf_printf(&out, "%s ", op->method);
    for (const char *p = op->path; *p; p++) {
        if (*p != '{') {
            buf_char(&out, *p);
            continue;
        }
        buf_text(&out, strncmp(p, "{run}", 5) == 0   ? run
                       : strncmp(p, "{org}", 5) != 0 ? "x"
                       : namespace                   ? namespace
                                                     : "team");
        p = strchr(p, '}');
    }
    if (namespace && op->dialect != DIALECTS_JOBS)
        buf_printf(&out, "?namespace=%s", namespace);
    assert_false(out.cut);
    return text;
}

static int ask_for(const struct operation *op, const char *token, const char *namespace)
{
    const char *target = js("%s", target_of(op, namespace));
    const char *name = namespace ? namespace : "team";

    world.token = token;
    if (op->dialect == DIALECTS_TEMPORAL) /* the first field of its message */
        return ask_rpc(op->path, str_of(js("\n%c%s", (char)strlen(name), name)));
    return ask(target, NULL, op->body_max > 0 ? "{}" : NULL);
}

static void assert_case(bool is_right, const struct operation *op, int role, const char *where)
{
    if (!is_right)
        fail_msg("%s as %s %s: %d %s", op->id, role < 0 ? "nobody" : roles[role], where,
                 world.call.status, json_at(""));
}

static bool is_refused(int status)
{
    return status == 401 || status == 403;
}

/* The denial is in the audit log of the caller's namespace, not of the other one. */
static bool is_noted_at_home(const char *asked)
{
    struct audit_entry note = audit_note(&world.call);

    return note.result == AUDIT_FORBIDDEN && str_eq(note.namespace, STR("team")) &&
           str_eq(note.object, str_of(asked));
}

/* The whole last answer without the name in the request. */
static const char *answer_without(const char *name)
{
    static char texts[2][1024];
    static int turn;
    char *text = texts[turn++ % 2], *at;

    snprintf(text, sizeof texts[0], "%d %s %.*s%s", world.call.status, world.call.content_type,
             STR_ARG(world.call.answer), field("grpc-message"));
    while ((at = strstr(text, name)))
        memset(at, '?', strlen(name));
    return text;
}

/* The message in the format of the operation's API. */
static bool says_namespace_is_missing(const struct operation *op)
{
    if (op->dialect == DIALECTS_TEMPORAL)
        return strcmp(field("grpc-message"), "Namespace other is not found.") == 0;
    return strcmp(json_at(op->dialect <= DIALECTS_AGENTS ? "detail" : "message"),
                  "'namespace \\'other\\' does not exist'") == 0;
}

/* A namespace of others and a missing one give the same answer, byte for byte. */
static void check_other_namespace(const struct operation *op, int r, bool is_open)
{
    char other[1024];
    int status = ask_for(op, tokens[r][OF_TEAM], "other");

    if (is_open) {
        assert_case(!is_refused(status), op, r, "elsewhere");
        return;
    }
    assert_case(status == 404 && says_namespace_is_missing(op), op, r, "elsewhere");
    assert_case(is_noted_at_home("other"), op, r, "elsewhere, noted");
    snprintf(other, sizeof other, "%s", answer_without("other"));
    ask_for(op, tokens[r][OF_TEAM], "ghost");
    assert_case(strcmp(answer_without("ghost"), other) == 0, op, r, "nowhere");
    assert_case(is_noted_at_home("ghost"), op, r, "nowhere, noted");
}

/* Its message names no namespace: only tokens for all of them are admitted. */
static void check_global(const struct operation *op, int r)
{
    bool may = r == ADMIN && strchr(who_may(op->id), 'A');
    int status = ask_for(op, tokens[r][OF_ALL], NULL);

    assert_case(may ? !is_refused(status) : status == 403, op, r, "everywhere");
    assert_case(ask_for(op, tokens[r][OF_TEAM], NULL) == 403, op, r, "at home");
}

static void check(const struct operation *op, int r)
{
    const char *who = who_may(op->id);
    bool is_open = strchr(who, '*');
    bool may = is_open || strchr(who, roles[r][0]) || (r >= TWO && strchr(who, 'w'));
    bool may_everywhere = is_open || (r == ADMIN ? strchr(who, 'A') != NULL : may);
    int status;

    if (op->is_global) {
        check_global(op, r);
        return;
    }
    status = ask_for(op, tokens[r][OF_TEAM],
                     NULL); /* its own namespace, not named in the request */
    assert_case(may ? !is_refused(status) : status == 403, op, r, "at home");
    status = ask_for(op, tokens[r][OF_TEAM], "team");
    assert_case(may ? !is_refused(status) : status == 403, op, r, "at home, named");
    check_other_namespace(op, r, is_open);
    status = ask_for(op, tokens[r][OF_ALL], "other");
    assert_case(may_everywhere ? !is_refused(status) : status == 403, op, r, "everywhere");
}

static void every_route_admits_exactly_its_roles(void **state)
{
    (void)state;
    make_tokens();
    for (int i = 0; i < operation_count; i++)
        for (int r = 0; r < ROLES; r++)
            check(&operations[i], r);
}

/* ---- invalid tokens ---- */

enum { BAD_REVOKED, BAD_EXPIRED, BAD_ROLE, BAD_SECRET, BAD_SHAPE, BAD_ABSENT, BADS };

/* Tokens of admins of all: revoked, expired, with another role, or with a changed letter. */
static void make_bad_tokens(char bad[BADS][128])
{
    char id[32], root[128];

    snprintf(root, sizeof root, "%s", tokens[ADMIN][OF_ALL]);
    world.token = root;
    assert_int_equal(post("/api/v1/tokens",
                          js("{'name':'e','role':'admin','namespace':'*','expiresIn':'1h'}")),
                     201);
    snprintf(bad[BAD_EXPIRED], 128, "%s", text_at("token").ptr);
    assert_int_equal(post("/api/v1/tokens", js("{'name':'r','role':'admin','namespace':'*'}")),
                     201);
    snprintf(bad[BAD_REVOKED], 128, "%s", text_at("token").ptr);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    snprintf(bad[BAD_ROLE], 128, "bf_admin_%.100s",
             tokens[VIEWER][OF_ALL] + strlen("bf_viewer_"));
    snprintf(bad[BAD_SECRET], 128, "%s", root);
    bad[BAD_SECRET][30] = root[30] == '0' ? '1' : '0';
    snprintf(bad[BAD_SHAPE], 128, "%.100s0", root);
    world.now += SPAN_H;
}

/* An unknown client gets the same answer for every namespace, even for a missing one. */
static void check_bad(const struct operation *op, const char *token)
{
    static const char *const spaces[] = {NULL, "team", "other", "ghost"};
    bool is_open = strchr(who_may(op->id), '*');
    char first[1024] = "";

    for (size_t n = 0; n < sizeof spaces / sizeof spaces[0]; n++) {
        int status = ask_for(op, token, spaces[n]);

        if (is_open) {
            assert_case(!is_refused(status), op, -1, "with a bad token");
            continue;
        }
        assert_case(status == 401 && world.call.denied == AUDIT_UNAUTHORIZED, op, -1,
                    "with a bad token");
        if (n == 0)
            snprintf(first, sizeof first, "%s", answer_without("ghost"));
        assert_case(strcmp(answer_without("ghost"), first) == 0, op, -1,
                    "with a bad token, anywhere");
    }
}

static void an_invalid_token_is_refused_by_every_route(void **state)
{
    static char bad[BADS][128];

    (void)state;
    make_tokens();
    make_bad_tokens(bad);
    for (int i = 0; i < operation_count; i++)
        for (int b = 0; b < BADS; b++)
            check_bad(&operations[i], b == BAD_ABSENT ? NULL : bad[b]);
}

static void the_list_has_no_removed_route(void **state)
{
    (void)state;
    for (int e = 0; e < expected_right_count; e++) {
        bool is_there = false;

        for (int i = 0; i < operation_count; i++)
            is_there |= strcmp(operations[i].id, expected_rights[e].id) == 0;
        if (!is_there)
            fail_msg("there is no operation %s", expected_rights[e].id);
    }
}

/* ---- objects of others ---- */

static const char *const object_requests[] = {"GET /api/v1/schedules/mine",
                                              "DELETE /api/v1/schedules/mine",
                                              "POST /api/v1/schedules/mine/pause",
                                              "POST /api/v1/schedules/mine/resume",
                                              "POST /api/v1/schedules/mine/trigger",
                                              "GET /api/v1/schedules/mine/next",
                                              "GET /api/v1/queues/theirs",
                                              "POST /api/v1/queues/theirs/pause",
                                              "POST /api/v1/queues/theirs/resume",
                                              "GET /api/v1/runs?schedule=mine",
                                              "GET /api/v1/runs?queue=theirs",
                                              "GET /api/v1/schedules",
                                              "GET /api/v1/queues",
                                              "GET /api/v1/runs"};

enum { OBJECT_REQUESTS = sizeof object_requests / sizeof object_requests[0] };

static const char *answer_text_of(const char *what)
{
    int status;

    world.token = tokens[ADMIN][OF_TEAM];
    status = ask(what, NULL, NULL);
    return js("%d %.*s", status, STR_ARG(world.call.answer));
}

/* The same request before and after another namespace has the object. */
static void objects_of_another_namespace_look_like_missing_ones(void **state)
{
    static char before[OBJECT_REQUESTS][512];

    (void)state;
    make_tokens();
    for (int i = 0; i < OBJECT_REQUESTS; i++)
        snprintf(before[i], sizeof before[i], "%s", answer_text_of(object_requests[i]));
    world.token = tokens[ADMIN][OF_ALL];
    assert_int_equal(post("/api/v1/schedules?namespace=other",
                          js("{'id':'mine','spec':{'intervals':[{'every':'1h'}]},"
                             "'action':{'type':'queue','queue':'theirs'}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/mine/trigger?namespace=other", "{}"), 202);
    for (int i = 0; i < OBJECT_REQUESTS; i++)
        assert_string_equal(answer_text_of(object_requests[i]), before[i]);
}

/* The operation creates the object, so its answer does not reveal whether it exists. */
static bool creates_object(const struct operation *op)
{
    return strcmp(op->id, "schedule.put") == 0 || strcmp(op->id, "calendar.put") == 0 ||
           strcmp(op->id, "gate.put") == 0 || strcmp(op->id, "queue.put") == 0 ||
           strcmp(op->id, "namespace.put") == 0 || strcmp(op->id, "conductor.start-named") == 0;
}

/* The whole answer, with only line feeds masked. */
static const char *answer_of(const struct operation *op)
{
    ask_for(op, tokens[ADMIN][OF_TEAM], NULL);
    return answer_without("\n");
}

/* Every operation that names an object: x, before and after another namespace has it. */
static void no_route_reveals_objects_of_another_namespace(void **state)
{
    enum { ROUTES_MAX = 256 };
    static char before[ROUTES_MAX][512];
    int missing = 0;

    (void)state;
    make_tokens();
    assert_in_range(operation_count, 1, ROUTES_MAX);
    for (int i = 0; i < operation_count; i++)
        if (strchr(operations[i].path, '{') && !creates_object(&operations[i]))
            snprintf(before[i], sizeof before[i], "%s", answer_of(&operations[i]));
    world.token = tokens[ADMIN][OF_ALL];
    assert_int_equal(post("/api/v1/schedules?namespace=other",
                          js("{'id':'x','spec':{'intervals':[{'every':'1h'}]},"
                             "'governor':{},'action':{'type':'queue','queue':'x'}}")),
                     201);
    ask("PUT /api/v1/calendars/x?namespace=other", NULL, js("{'dates':['2027-12-25']}"));
    assert_int_equal(get("/api/v1/calendars/x?namespace=other"), 200);
    ask("PUT /api/v1/gates/x?namespace=other", NULL, js("{'limit':1}"));
    assert_int_equal(get("/api/v1/gates/x?namespace=other"), 200);
    for (int i = 0; i < operation_count; i++) {
        const struct operation *op = &operations[i];

        if (before[i][0] == '\0')
            continue;
        if (strcmp(answer_of(op), before[i]) != 0)
            fail_msg("%s: %s, before %s", op->id, answer_of(op), before[i]);
        missing += strncmp(before[i], "404", 3) == 0 ? 1 : 0;
    }
    assert_in_range(missing, 20, ROUTES_MAX);
}

static const char *const run_requests[] = {"GET /api/v1/runs/%s", "GET /api/v1/runs/%s/logs",
                                           "POST /api/v1/runs/%s/cancel",
                                           "POST /api/v1/runs/%s/terminate"};

/* The answer without the id of the run. */
static const char *run_answer(const char *fmt, const char *run)
{
    static char text[2][1024];
    static int turn;
    char *to = text[turn++ % 2], what[PATH_MAX_BYTES], *at;

    snprintf(what, sizeof what, "%.*s%s%s", (int)(strstr(fmt, "%s") - fmt), fmt, run,
             strstr(fmt, "%s") + 2);
    snprintf(to, 1024, "%s", answer_text_of(what));
    while ((at = strstr(to, run)))
        memset(at, 'r', strlen(run));
    return to;
}

static void assert_looks_missing(const char *theirs)
{
    char nobodys[64];

    run_id_format(&(struct run_id){1, 1767607200000, 1}, nobodys);
    for (size_t i = 0; i < sizeof run_requests / sizeof run_requests[0]; i++)
        assert_string_equal(run_answer(run_requests[i], theirs),
                            run_answer(run_requests[i], nobodys));
}

static void make_run_of_others(char theirs[64])
{
    make_tokens();
    world.token = tokens[ADMIN][OF_ALL];
    assert_int_equal(post("/api/v1/schedules?namespace=other",
                          js("{'id':'mine','action':{'type':'queue','queue':'theirs'}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/mine/trigger?namespace=other", "{}"), 202);
    snprintf(theirs, 64, "%s", text_at("id").ptr);
}

static void a_run_of_another_namespace_looks_like_a_missing_one(void **state)
{
    char theirs[64];

    (void)state;
    make_run_of_others(theirs);
    assert_looks_missing(theirs);
}

/* A claimed run outlives its schedule; its namespace can still see it. */
static void a_run_that_outlived_its_schedule_is_hidden_from_other_namespaces(void **state)
{
    char theirs[64];

    (void)state;
    make_run_of_others(theirs);
    assert_int_equal(post("/api/v1/queues/claim?namespace=other",
                          js("{'queues':['theirs'],'max':1,'wait':'0s','worker':'w'}")),
                     200);
    assert_json("runs.1", "absent");
    assert_int_equal(ask("DELETE /api/v1/schedules/mine?namespace=other", NULL, NULL), 204);
    assert_looks_missing(theirs);
    world.token = tokens[ADMIN][OF_ALL];
    assert_int_equal(get(js("/api/v1/runs/%s?namespace=other", theirs)), 200);
    assert_json("state", "'leased'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(every_route_admits_exactly_its_roles),
        API_TEST(an_invalid_token_is_refused_by_every_route),
        API_TEST(the_list_has_no_removed_route),
        API_TEST(objects_of_another_namespace_look_like_missing_ones),
        API_TEST(no_route_reveals_objects_of_another_namespace),
        API_TEST(a_run_of_another_namespace_looks_like_a_missing_one),
        API_TEST(a_run_that_outlived_its_schedule_is_hidden_from_other_namespaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
