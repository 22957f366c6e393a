/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiver and the workers of the soak.
 */
#include "crowd.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "core/run_id.h"
#include "core/time/text.h"
#include "io/clock.h"
#include "io/loop.h"
#include "io/net/listener.h"
#include "request.h"

enum {
    BATCH_MAX = 1000,
    ITEM_BYTES = 96, /* of a run in a completion: its id, its fence and names */
    CLAIM_MS = 30000,
    COMPLETE_MS = 30000,
    CALL_BODY_BYTES = 64 * 1024,
};

static pid_t members[1 + SOAK_WORKERS];
static int member_count;

static void add(_Atomic uint64_t *count, uint64_t more)
{
    atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

static void note_start(struct tally *tally, instant slot)
{
    int64_t late = (clock_now() - slot) / SPAN_MS;

    if (late < 0)
        DIE("a run has begun before its slot");
    add(&tally->late[late < SOAK_LATE_MS ? late : SOAK_LATE_MS], 1);
    add(&tally->begun, 1);
}

static instant read_slot(struct str text)
{
    struct err err;
    instant slot;

    if (instant_parse(text, &slot, &err) != RC_OK)
        DIE("'%.*s' is no instant: %s", STR_ARG(text), err.text);
    return slot;
}

/* ---- the receiver ---- */

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return CALL_BODY_BYTES;
}

static void on_request(void *arg, struct exchange *x)
{
    struct tally *tally = arg;
    struct str slot = {"", 0};

    (void)http1_find(x->request, STR("belfry-scheduled-time"), &slot);
    note_start(tally, read_slot(slot));
    add(&tally->done, 1);
    exchange_answer(x, 200, NULL, 0, STR("{\"ok\":true}"));
}

static void receive(struct tally *tally, int tell)
{
    struct loop *loop = loop_new(NULL, NULL);
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = tally};
    struct listener_limits limits = listener_limits_default;
    struct listener *listener;
    uint16_t port = 0;
    struct err err;

    limits.per_peer = limits.connections;
    listener = listener_new(loop_uv(loop), &limits, &handler);
    if (listener_bind(listener, "127.0.0.1", 0, &port, &err) != RC_OK)
        DIE("the receiver: %s", err.text);
    must(write(tell, &port, sizeof port) == sizeof port);
    loop_run(loop); /* until it is killed */
}

/* ---- a worker ---- */

struct grant {
    char id[RUN_ID_TEXT_MAX];
    int64_t fence;
};

static json_t *post(const struct soak *soak, const char *path, struct str body, int patience)
{
    struct request_answer answer;
    json_t *json;

    if (request_do(&(struct request){.port = soak->port,
                                     .method = "POST",
                                     .path = path,
                                     .body = body,
                                     .patience_ms = patience},
                   &answer) != REQUEST_ANSWERED)
        DIE("%s: there was no answer", path);
    if (answer.status != 200)
        DIE("%s: %d %.*s", path, answer.status, STR_ARG(answer.body));
    json = json_loadb(answer.body.ptr, answer.body.len, 0, NULL);
    must(json != NULL);
    return json;
}

static int claim(const struct soak *soak, struct tally *tally, struct grant *grants)
{
    char text[256];
    struct buf body = BUF(text);
    json_t *json;
    const json_t *runs;
    int count;

    buf_printf(&body, "{\"queues\":[\"%s\"],\"max\":%d,\"wait\":\"10s\",\"worker\":\"w%d\"}",
               SOAK_QUEUE, BATCH_MAX, (int)getpid());
    json = post(soak, "/api/v1/queues/claim", buf_as_str(&body), CLAIM_MS);
    runs = json_object_get(json, "runs");
    count = (int)json_array_size(runs);
    must(count <= BATCH_MAX);
    for (int i = 0; i < count; i++) {
        const json_t *run = json_array_get(runs, (size_t)i);

        snprintf(grants[i].id, sizeof grants[i].id, "%s",
                 json_string_value(json_object_get(run, "id")));
        grants[i].fence = json_integer_value(json_object_get(run, "fence"));
        note_start(tally, read_slot(str_of(json_string_value(json_object_get(run, "due")))));
    }
    json_decref(json);
    return count;
}

/* Those for which the server was too busy are left in `grants`; returns their number. */
static int complete(const struct soak *soak, struct tally *tally, struct grant *grants,
                    int count)
{
    static char text[BATCH_MAX * ITEM_BYTES];
    struct buf body = BUF(text);
    json_t *json;
    int left = 0;

    buf_text(&body, "{\"items\":[");
    for (int i = 0; i < count; i++)
        buf_printf(&body, "%s{\"id\":\"%s\",\"fence\":%" PRId64 "}", i ? "," : "", grants[i].id,
                   grants[i].fence);
    buf_text(&body, "]}");
    must(!body.cut);
    json = post(soak, "/api/v1/runs/complete", buf_as_str(&body), COMPLETE_MS);
    for (int i = 0; i < count; i++) {
        const char *status = json_string_value(json_object_get(
            json_array_get(json_object_get(json, "results"), (size_t)i), "status"));

        must(status != NULL);
        if (strcmp(status, "busy") == 0)
            grants[left++] = grants[i];
        else if (strcmp(status, "ok") != 0)
            DIE("%s was completed as '%s'", grants[i].id, status);
    }
    json_decref(json);
    add(&tally->done, (uint64_t)(count - left));
    return left;
}

static void work(const struct soak *soak, struct tally *tally)
{
    static struct grant grants[BATCH_MAX];

    for (;;) { /* until it is killed */
        int count = claim(soak, tally, grants);

        while (count > 0)
            count = complete(soak, tally, grants, count);
    }
}

/* ---- all of them ---- */

/* True in the child. */
static bool start_member(void)
{
    pid_t parent = getpid(), child = fork();

    must(child >= 0 && member_count < (int)(sizeof members / sizeof members[0]));
    if (child > 0) {
        members[member_count++] = child;
        return false;
    }
    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    return true;
}

void crowd_start_receiver(struct soak *soak)
{
    int ends[2];

    must(pipe(ends) == 0);
    if (start_member()) {
        receive(&soak->tallies[0], ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    if (read(ends[0], &soak->receiver_port, sizeof soak->receiver_port) !=
        sizeof soak->receiver_port)
        DIE("the receiver did not start");
    close(ends[0]);
}

void crowd_start_workers(struct soak *soak)
{
    for (int i = 0; i < SOAK_WORKERS; i++)
        if (start_member())
            work(soak, &soak->tallies[1 + i]);
}

bool crowd_is_well(void)
{
    for (int i = 0; i < member_count; i++) {
        siginfo_t info = {0};

        if (waitid(P_PID, (id_t)members[i], &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != 0) {
            fprintf(stderr, "one of the processes around the server has ended\n");
            return false;
        }
    }
    return true;
}

void crowd_end(void)
{
    for (int i = 0; i < member_count; i++) {
        kill(members[i], SIGKILL);
        waitpid(members[i], NULL, 0);
    }
    member_count = 0;
}
