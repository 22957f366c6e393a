/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims runs for workers: parses the request, which may wait, and prints the runs.
 */
#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "model/action.h"
#include "model/payload.h"
#include "model/run_json.h"

enum {
    CLAIM_BYTES_MAX = 8 << 20, /* of one answer; runs that do not fit are released */
};

#define CLAIM_WAIT_MAX (60 * SPAN_S) /* many proxies close idle connections soon after that */

struct claim_body {
    int32_t max;
    span wait;
    struct str worker;
    field_set fields;
    struct call_poll *poll; /* of the call, while the body is parsed */
};

#define AT(member) .offset = offsetof(struct claim_body, member)

static enum rc read_queue(const json_t *value, int i, void *to, struct err *reterr)
{
    const struct reading *r = to;
    struct call_poll *poll = ((struct claim_body *)r->to)->poll;
    enum rc rc = json_take_kept(value, ACTION_NAME_MAX, r->arena, &poll->queues[i], reterr);

    return rc == RC_OK ? name_check(poll->queues[i], reterr) : rc;
}

static enum rc read_queues(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct call_poll *poll = ((struct claim_body *)r->to)->poll;
    struct reading reading = *r;
    enum rc rc = json_take_count(value, POLL_QUEUES_MAX, &poll->queue_count, reterr);

    if (rc == RC_OK && poll->queue_count == 0)
        rc = err_set(reterr, RC_INVALID, -1, 0, "is empty; name a queue");
    return rc == RC_OK ? json_take_items(value, read_queue, &reading, reterr) : rc;
}

static enum rc read_fields(const json_t *value, const struct reading *r, struct err *reterr)
{
    return fields_from_json(value, &grant_fields, &((struct claim_body *)r->to)->fields,
                            reterr);
}

static const struct member claim_list[] = {
    {"queues", MEMBER_OTHER, .read = read_queues, .is_required = true},
    {"max", MEMBER_INT32, AT(max), .low = 1, .high = POLL_RUNS_MAX},
    {"wait", MEMBER_SPAN, AT(wait), .low = 0, .high = CLAIM_WAIT_MAX},
    {"worker", MEMBER_TEXT, AT(worker), .high = CALL_NAME_MAX, .check = name_check},
    {"fields", MEMBER_OTHER, .read = read_fields},
};

static const struct members claim_members = MEMBERS(claim_list);

enum call_step queue_claim_begin(struct call *call)
{
    struct claim_body *body = arena_take(call->arena, sizeof *body);
    enum call_step step;

    *body = (struct claim_body){.max = 1, .fields = FIELDS_ALL, .poll = &call->poll};
    if (!request_body(call, false, &claim_members, body, &step))
        return step;
    call->poll.max = body->max;
    call->poll.wait = body->wait;
    call->poll.worker = body->worker;
    call->arg = body;
    return CALL_POLL;
}

static struct run_id make_run_id(const struct run *run)
{
    return (struct run_id){run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
}

/* Returns false if the run does not fit into the answer. */
static bool print_grant(const struct call *call, int i, struct answer *out)
{
    const struct assignment *work = &call->grants[i];
    const field_set fields = ((const struct claim_body *)call->arg)->fields;
    bool has_input = fields_have(fields, GRANT_FIELD_INPUT);
    bool has_result = fields_have(fields, GRANT_FIELD_LAST_RESULT);
    const struct payload payload = {
        .run = &work->run,
        .id = work->id,
        .schedule = work->name,
        .namespace = call->namespace_name,
        .cron = payload_cron(work->action, has_input ? work->cron : -1, call->arena),
        .last_result = run_result_value(has_result ? work->last_result : STR(""), call->arena),
        .last_failure = work->last_failure,
        .last_run_at = work->last_run_at,
    };
    size_t room = payload_room(&payload, call->grant_queues[i], work->action);

    if (i > 0 && out->buf.len + room > CLAIM_BYTES_MAX)
        return false;
    answer_reserve(out, room + 2);
    if (i > 0)
        buf_char(&out->buf, ',');
    grant_print(&payload, call->grant_queues[i], work->action, fields, &out->buf);
    return true;
}

/* Releases the runs that do not fit into the answer, so that another worker can claim them. */
static void release_rest(struct call *call, int from)
{
    int count = call->grant_count - from;

    call->reports = arena_array(call->arena, (size_t)count, sizeof *call->reports);
    call->report_count = count;
    for (int i = 0; i < count; i++)
        call->reports[i] = (struct report){.kind = REPORT_RELEASE,
                                           .run = make_run_id(&call->grants[from + i].run),
                                           .fence = call->grants[from + i].run.fence};
}

enum call_step queue_claim_settled(struct call *call)
{
    struct answer out = answer_new(call->arena);
    int i = 0;

    if (call->report_count > 0)
        return CALL_ANSWER; /* the rest is released; the answer is already set */
    answer_text(&out, "{\"runs\":[");
    while (i < call->grant_count - call->grants_cut && print_grant(call, i, &out))
        i++;
    answer_text(&out, "]}");
    call_answer(call, 200, answer_done(&out));
    if (i == call->grant_count)
        return CALL_ANSWER;
    release_rest(call, i);
    return CALL_REPORTS;
}
