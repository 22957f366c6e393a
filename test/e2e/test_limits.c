/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the limits of names and payloads, which are those of Temporal: at the limit and one
 * beyond, from a client of Temporal to the native API and the command line.
 */
#include "command.h"
#include "h2_client.h"
#include "request.h"
#include "wire/grpc/grpc.h"

enum {
    ID_MAX = 977,
    WORKFLOW_ID_MAX = 979,
    NAME_MAX_BYTES = 1000,
    BLOB_MAX = 2 << 20,
    MESSAGE_MAX = 4 << 20,
    FRAME_MAX = 8 << 20,
    PATH_BYTES = 8192,
    RUNS = 12,
};

#define METHOD "/temporal.api.workflowservice.v1.WorkflowService/"
#define KANJI  "\xe6\x97\xa5" /* U+65E5, three bytes */

/* ---- messages ---- */

static struct buf message_new(void)
{
    struct buf out = {.ptr = malloc(FRAME_MAX), .cap = FRAME_MAX};

    assert_non_null(out.ptr);
    return out;
}

/* A field of bytes. */
static void put(struct buf *out, int number, struct str value)
{
    size_t len = value.len;

    buf_char(out, (char)(number << 3 | 2));
    for (; len > 127; len >>= 7)
        buf_char(out, (char)(len | 128));
    buf_char(out, (char)len);
    buf_str(out, value);
}

static void put_in(struct buf *out, int number, const struct buf *inner)
{
    put(out, number, buf_as_str(inner));
}

struct names {
    const char *id, *workflow, *type, *queue, *request;
    size_t data; /* bytes of the only payload of the input */
    bool has_memo;
};

/* Payloads{Payload{data}}, or the fields of a memo with one such payload. */
static void put_payload(struct buf *out, int number, size_t len, bool is_memo)
{
    struct buf payload = message_new(), payloads = message_new(), entry = message_new();
    char *data = calloc(1, len + 1);

    assert_non_null(data);
    put(&payload, 2, (struct str){data, len});
    if (is_memo) {
        put(&entry, 1, STR("m"));
        put_in(&entry, 2, &payload);
    }
    put_in(&payloads, 1, is_memo ? &entry : &payload);
    put_in(out, number, &payloads);
    free(data);
    free(payload.ptr);
    free(payloads.ptr);
    free(entry.ptr);
}

static void put_name(struct buf *out, int number, const char *name)
{
    struct buf inner = message_new();

    put(&inner, 1, str_of(name));
    put_in(out, number, &inner);
    free(inner.ptr);
}

/* CreateScheduleRequest, in a frame; the caller frees it. */
static struct buf create_frame(const struct names *n)
{
    struct buf w = message_new(), action = message_new(), schedule = message_new();
    struct buf request = message_new(), frame = message_new();

    put(&w, 1, str_of(n->workflow));
    put_name(&w, 2, n->type);
    put_name(&w, 3, n->queue);
    if (n->data > 0)
        put_payload(&w, 4, n->data, false);
    put_in(&action, 1, &w);
    put_in(&schedule, 2, &action);
    put(&schedule, 3, STR("\x08\x06")); /* policies: ALLOW_ALL */
    put(&request, 1, STR("default"));
    put(&request, 2, str_of(n->id));
    put_in(&request, 3, &schedule);
    put(&request, 6, str_of(n->request ? n->request : "r"));
    if (n->has_memo)
        put_payload(&request, 7, 100, true);
    grpc_prefix(request.len, &frame);
    buf_str(&frame, buf_as_str(&request));
    assert_false(frame.cut);
    free(w.ptr);
    free(action.ptr);
    free(schedule.ptr);
    free(request.ptr);
    return frame;
}

/* Calls a method and checks a line of the answer; returns the bytes of its message. */
static size_t call(struct server *d, const char *path, struct str frame, const char *line)
{
    struct h2c *h = h2c_open(request_connect(d));
    struct h2c_answer *a = h2c_ask(h, &(struct h2c_request){.method = "POST",
                                                            .path = path,
                                                            .authority = "localhost",
                                                            .name = "content-type",
                                                            .value = "application/grpc",
                                                            .body = frame});
    size_t len;

    h2c_await(h, a);
    if (!strstr(a->body_len > 0 ? a->tail : a->head, line))
        fail_msg("no %s in %s%s", line, a->head, a->tail);
    len = a->body_len;
    h2c_close(h);
    return len;
}

static void create(struct server *d, const struct names *n, const char *line)
{
    struct buf frame = create_frame(n);

    (void)call(d, METHOD "CreateSchedule", buf_as_str(&frame), line);
    free(frame.ptr);
}

static size_t describe(struct server *d, const char *id)
{
    struct buf request = message_new(), frame = message_new();
    size_t len;

    put(&request, 1, STR("default"));
    put(&request, 2, str_of(id));
    grpc_prefix(request.len, &frame);
    buf_str(&frame, buf_as_str(&request));
    len = call(d, METHOD "DescribeSchedule", buf_as_str(&frame), "grpc-status: 0\n");
    free(request.ptr);
    free(frame.ptr);
    return len;
}

/* ---- names ---- */

/* `len` bytes: as many characters of three bytes as fit, then ASCII. */
static const char *name_of(size_t len, char room[static NAME_MAX_BYTES + 2])
{
    struct buf out = {.ptr = room, .cap = NAME_MAX_BYTES + 2};

    while (out.len + 3 <= len)
        buf_text(&out, KANJI);
    while (out.len < len)
        buf_char(&out, 'z');
    assert_false(out.cut);
    return room;
}

/* HEAD, the text in percent-encoding, TAIL; valid until the next call. */
static const char *encoded(const char *head, const char *text, const char *tail)
{
    static char path[PATH_BYTES];
    struct buf out = BUF(path);

    buf_text(&out, head);
    for (const char *c = text; *c != '\0'; c++)
        buf_printf(&out, "%%%02X", (unsigned)(unsigned char)*c);
    buf_text(&out, tail);
    assert_false(out.cut);
    return path;
}

static const char *path_of(const char *id, const char *tail)
{
    return encoded("/api/v1/schedules/", id, tail);
}

static void names_are_accepted_up_to_their_limits(void **state)
{
    static char id[NAME_MAX_BYTES + 2], longer[NAME_MAX_BYTES + 2],
        workflow[NAME_MAX_BYTES + 2], name[NAME_MAX_BYTES + 2], queue[NAME_MAX_BYTES + 2];
    struct server *d = server_start(*state, NULL);
    struct names n = {.id = name_of(ID_MAX, id), .queue = name_of(NAME_MAX_BYTES, queue)};
    const json_t *list;

    n.type = name_of(NAME_MAX_BYTES, name);
    n.workflow = name_of(WORKFLOW_ID_MAX, workflow);
    create(d, &n, "grpc-status: 0\n");
    assert_true(describe(d, id) > ID_MAX);
    n.id = name_of(ID_MAX + 1, longer);
    create(d, &n, "grpc-message: WorkflowId exceeds maximum allowed length (1001/1000)\n");
    n.id = "other";
    n.workflow = name_of(WORKFLOW_ID_MAX + 1, longer);
    create(d, &n, "grpc-message: WorkflowId exceeds maximum allowed length (1001/1000)\n");
    n.workflow = "w";
    n.type = name_of(NAME_MAX_BYTES + 1, longer);
    create(d, &n, "grpc-message: WorkflowType length exceeds limit.\n");
    n.type = "t";
    n.queue = longer;
    create(d, &n, "grpc-message: taskQueue length exceeds limit\n");
    n.queue = "q";
    n.id = id;
    n.request = "another";
    create(d, &n, "grpc-status: 6\n");

    assert_string_equal(text_at(api(d, 200, "GET", path_of(id, ""), NULL), "id"), id);
    list = api(d, 200, "GET", "/api/v1/schedules?sort=-id", NULL);
    assert_string_equal(text_at(list, "schedules[0].id"), id);
    api(d, 200, "PATCH", path_of(id, ""), "{'description':'edited'}");
    assert_string_equal(text_at(BELFRY(d, "schedule", "get", id, "-o", "json").json, "id"), id);
    (void)BELFRY(d, "schedule", "pause", id);
    (void)BELFRY(d, "schedule", "resume", id);
    list = api(d, 200, "GET", "/api/v1/audit?limit=1", NULL);
    assert_string_equal(text_at(list, "entries[0].object"), id);
    (void)BELFRY(d, "schedule", "delete", id);
    api(d, 404, "GET", path_of(id, ""), NULL);
    assert_int_equal(server_stop(d), 0);
}

/* The cursor of a page contains the name. */
static void assert_pages(struct server *d, const char *id)
{
    const json_t *page;

    make_schedule(d, "a", "'action':{'type':'queue','queue':'q'}");
    page = api(d, 200, "GET", "/api/v1/schedules?sort=-id&limit=1", NULL);
    assert_string_equal(text_at(page, "schedules[0].id"), id);
    page = api(
        d, 200, "GET",
        encoded("/api/v1/schedules?sort=-id&limit=1&cursor=", text_at(page, "cursor"), ""),
        NULL);
    assert_string_equal(text_at(page, "schedules[0].id"), "a");
}

static void native_names_have_the_same_limits(void **state)
{
    static char id[NAME_MAX_BYTES + 2], queue[NAME_MAX_BYTES + 2], longer[NAME_MAX_BYTES + 2];
    struct server *d = server_start(*state, NULL);
    json_t *wrong;

    name_of(NAME_MAX_BYTES, queue);
    api(d, 201, "PUT", path_of(name_of(ID_MAX, id), ""),
        "{'action':{'type':'queue','queue':'%s'}}", queue);
    wrong = api(d, 422, "PUT", path_of(name_of(ID_MAX + 1, longer), ""),
                "{'action':{'type':'queue','queue':'q'}}");
    assert_non_null(strstr(text_at(wrong, "detail"), "977"));
    wrong = api(d, 422, "POST", "/api/v1/schedules",
                "{'id':'s','action':{'type':'queue','queue':'%s'}}",
                name_of(NAME_MAX_BYTES + 1, longer));
    assert_non_null(strstr(text_at(wrong, "detail"), "1000"));
    assert_pages(d, id);
    api(d, 202, "POST", path_of(id, "/trigger"), "{}");
    assert_string_equal(text_at(claim(d, queue, 1, "10s"), "[0].schedule"), id);
    assert_int_equal(server_stop(d), 0);
}

/* ---- payloads ---- */

/* No run has a copy of the input, and a worker gets as many runs as fit into an answer. */
static void assert_one_copy_for_all_runs(struct world *w, struct server *d)
{
    size_t count = 0;

    for (int i = 0; i < RUNS; i++)
        (void)trigger(d, "large");
    assert_int_equal(world_number(w, "SELECT count(*) FROM runs"), RUNS);
    assert_int_equal(world_number(w, "SELECT count(*) FROM runs WHERE input IS NOT NULL"), 0);
    while (count < RUNS) {
        const json_t *runs = claim(d, "q", RUNS, "10s");
        size_t n = json_array_size(runs);

        assert_in_range(n, 1, 3);
        assert_true(json_string_length(at(runs, "[0].input.payloads[0].data")) > BLOB_MAX);
        count += n;
    }
    assert_int_equal(count, RUNS);
}

static void payloads_are_accepted_up_to_two_mebibytes(void **state)
{
    /* Around the data: tags and lengths of it, its payload and the list, and a memo. */
    enum { AROUND = 4 + 4, MEMO = 102 + 2 + 3 + 2 };
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    struct names n = {.id = "large", .workflow = "w", .type = "t", .queue = "q"};
    json_t *document;
    char *text;

    n.has_memo = true;
    n.data = BLOB_MAX - AROUND - MEMO + 1;
    create(d, &n, "grpc-message: Blob data size exceeds limit.\n");
    n.data--;
    create(d, &n, "grpc-status: 0\n");
    n.id = "larger";
    n.data = MESSAGE_MAX;
    create(d, &n, "grpc-status: 3\n");
    assert_true(describe(d, "large") > BLOB_MAX - MEMO);

    document = api(d, 200, "GET", "/api/v1/schedules/large", NULL);
    text = json_dumps(document, JSON_COMPACT);
    assert_non_null(text);
    api(d, 200, "PUT", "/api/v1/schedules/large", "%s", text);
    free(text);
    assert_true(describe(d, "large") > BLOB_MAX - MEMO);
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules", NULL), "schedules[0].id"), "large");
    assert_one_copy_for_all_runs(w, d);
    api(d, 204, "DELETE", "/api/v1/schedules/large", NULL);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(names_are_accepted_up_to_their_limits),
        E2E_TEST(native_names_have_the_same_limits),
        E2E_TEST(payloads_are_accepted_up_to_two_mebibytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
