/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs of life and reports, in batches: while one request is under way, what comes gathers
 * for the next.  What a server that is away did not take is sent again, unchanged.
 *
 * A place is in one request at a time: so a report comes behind the log lines before it, and
 * a late answer cannot be taken for that of another request.
 */
#include "cli/worker/worker_parts.h"
#include "io/clock.h"

enum {
    STATUS_OK_HTTP = 200,
    STATUS_BAD = 400, /* those three are about what was sent; all others may pass */
    STATUS_TOO_LARGE = 413,
    STATUS_WRONG = 422,
    BACKOFF_DOUBLINGS = 5, /* 0.2 s to 6.4 s, above the bound */
    ITEM_BYTES = 256,      /* id, fence, names */
    ITEM_VALUES = 8,
};

/* ---- the server, away or not ---- */

span worker_backoff(struct worker *worker, int tries)
{
    int doublings = tries - 1 < BACKOFF_DOUBLINGS ? tries - 1 : BACKOFF_DOUBLINGS;
    span most = WORKER_RETRY_MIN << doublings;

    if (most > WORKER_RETRY_MAX)
        most = WORKER_RETRY_MAX;
    return prng_between(&worker->prng, most / 2, most);
}

void worker_away(struct worker *worker, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf reason = BUF(text);

    if (worker->is_away || worker->phase == PHASE_LEAVING)
        return;
    worker->is_away = true;
    if (answer->status == STATUS_OK_HTTP || answer->status == 0)
        buf_text(&reason, answer->err.text);
    else
        problem_text(answer->body, &reason);
    log_say(&worker->log, clock_now(), LEVEL_WARN, "server does not answer as it should",
            LOG_TEXT("server", worker->options.server), LOG_INT("status", answer->status),
            LOG_STR("reason", buf_as_str(&reason)));
}

void worker_back(struct worker *worker)
{
    if (worker->is_away)
        log_say(&worker->log, clock_now(), LEVEL_WARN, "server answers again",
                LOG_TEXT("server", worker->options.server));
    worker->is_away = false;
}

/* ---- what is to be sent ---- */

/* When a sign of life is due; INT64_MAX: none is to be given. */
static int64_t beat_due(const struct place *place)
{
    /* What is too much for the report goes before it. */
    if (place->state == PLACE_REPORTING && lines_are_many(&place->log))
        return 0;
    if (place->state != PLACE_RUNNING || place->stop == STOP_STALE)
        return INT64_MAX;
    return place->log_at < place->beat_at ? place->log_at : place->beat_at;
}

static int64_t due_at(const struct lane *lane, const struct place *place)
{
    if (place->in_request)
        return INT64_MAX;
    if (lane->kind == LANE_BEAT)
        return beat_due(place);
    return place->state == PLACE_REPORTING && place->lane == lane->kind &&
                   !lines_are_many(&place->log)
               ? 0
               : INT64_MAX;
}

static void add_item(struct text *body, const struct lane *lane, struct place *place)
{
    char head[ITEM_BYTES];
    struct buf out = BUF(head);

    text_add(body, STR("{\"id\":"));
    text_add_json(body, str_of(place->id), ITEM_BYTES);
    buf_printf(&out, ",\"fence\":%lld", (long long)place->fence);
    text_add(body, buf_as_str(&out));
    if (lane->kind != LANE_BEAT)
        text_add(body, text_as_str(&place->report));
    lines_send(&place->log, body);
    text_add(body, STR("}"));
}

static void put_under_way(struct lane *lane, struct place *place, int64_t now)
{
    place->in_request = true;
    place->beat_at = now + place->beat_every;
    place->log_at = INT64_MAX;
    lane->sent[lane->sent_count++] = (int32_t)(place - lane->worker->places);
}

/* It has lines, and a request goes anyway. */
static bool goes_along(const struct lane *lane, const struct place *place)
{
    return lane->kind == LANE_BEAT && place->log.cost > 0 && !place->in_request &&
           beat_due(place) < INT64_MAX;
}

/* Takes as many as fit into one request; a place that must be alone is. */
static void gather(struct lane *lane, struct text *body, int64_t now)
{
    struct worker *worker = lane->worker;
    int values = 0;
    bool is_alone = false;

    lane->sent_count = 0;
    text_add(body, STR("{\"items\":["));
    for (int i = 0; i < worker->options.places && !is_alone; i++) {
        struct place *place = &worker->places[i];
        size_t log = lines_are_many(&place->log) ? LINES_PART_MAX : place->log.text.len;
        /* A line's end has two bytes there, and one here. */
        size_t bytes = 2 * log + place->report.len + ITEM_BYTES;

        if (due_at(lane, place) > now && !goes_along(lane, place))
            continue;
        values += place->report_values + ITEM_VALUES;
        is_alone = place->is_alone;
        if (lane->sent_count > 0 && (is_alone || body->len + bytes > WORKER_BATCH_BYTES ||
                                     values > WORKER_BATCH_VALUES))
            break;
        if (lane->sent_count > 0)
            text_add(body, STR(","));
        add_item(body, lane, place);
        put_under_way(lane, place, now);
    }
    text_add(body, STR("],\"results\":\"notOk\"}"));
}

/* ---- what came of it ---- */

static void take_back(struct lane *lane, struct place *place, int64_t now)
{
    place->in_request = false;
    place->beat_at = now;
    if (place->state == PLACE_REPORTING && now > place->keep_until) {
        log_say(&lane->worker->log, clock_now(), LEVEL_ERROR, "report given up",
                LOG_TEXT("run", place->id));
        place_free(place);
    }
}

static void end_beat(struct place *place, struct item_answer answer)
{
    int64_t now = clock_boot_us();

    lines_were_taken(&place->log);
    if (place->log.cost > 0)
        place->log_at = place->log.cost < WORKER_LOG_SOON ? now + WORKER_LOG_DELAY : now;
    place->keep_until = now + 3 * place->beat_every + WORKER_KEEP;
    if (answer.verdict == VERDICT_OK && answer.is_cancelled)
        place_stop(place, STOP_CANCELLED);
    if (answer.verdict == VERDICT_REFUSED)
        log_say(&place->worker->log, clock_now(), LEVEL_ERROR, "heartbeat refused",
                LOG_TEXT("run", place->id), LOG_STR("reason", answer.text));
}

/* The run is somebody else's, or over: its program is of no use. */
static void lose(struct lane *lane, struct place *place)
{
    log_say(&lane->worker->log, clock_now(), LEVEL_WARN, "run is not ours any more",
            LOG_TEXT("run", place->id), LOG_INT("fence", place->fence));
    if (place->state == PLACE_REPORTING) {
        place_free(place);
        return;
    }
    place->stop = STOP_STALE;
    place_kill(place);
}

static void judge(struct lane *lane, struct place *place, struct item_answer answer)
{
    place->in_request = place->is_alone = false;
    if (answer.verdict == VERDICT_STALE)
        lose(lane, place);
    else if (answer.verdict == VERDICT_AGAIN)
        take_back(lane, place, clock_boot_us());
    else if (lane->kind == LANE_BEAT)
        end_beat(place, answer);
    else if (answer.verdict == VERDICT_OK)
        place_free(place);
    else
        place_refused(place, answer.text);
}

static void fail(struct lane *lane, const struct client_answer *answer)
{
    int64_t now = clock_boot_us();

    worker_away(lane->worker, answer);
    lane->tries++;
    lane->not_before = now + worker_backoff(lane->worker, lane->tries);
    for (int i = 0; i < lane->sent_count; i++)
        take_back(lane, &lane->worker->places[lane->sent[i]], now);
}

/* The request as a whole was refused: what each item is worth is found one by one. */
static void refuse(struct lane *lane, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf why = BUF(text);

    problem_text(answer->body, &why);
    for (int i = 0; i < lane->sent_count; i++) {
        struct place *place = &lane->worker->places[lane->sent[i]];

        place->is_alone = lane->sent_count > 1;
        if (place->is_alone)
            take_back(lane, place, clock_boot_us());
        else
            judge(lane, place, (struct item_answer){VERDICT_REFUSED, false, buf_as_str(&why)});
    }
}

static void take_results(struct lane *lane, const struct client_answer *answer)
{
    struct client_answer broken = *answer;
    json_auto_t *results = results_read(answer->body, lane->sent_count, &broken.err);
    int again = 0;

    if (!results) {
        fail(lane, &broken);
        return;
    }
    worker_back(lane->worker);
    for (int i = 0; i < lane->sent_count; i++) {
        struct item_answer item = results_at(results, i);

        again += item.verdict == VERDICT_AGAIN;
        judge(lane, &lane->worker->places[lane->sent[i]], item);
    }
    lane->tries = again > 0 ? lane->tries + 1 : 0;
    if (again > 0)
        lane->not_before = clock_boot_us() + worker_backoff(lane->worker, lane->tries);
}

static void on_answer(void *with, const struct client_answer *answer)
{
    struct lane *lane = with;
    struct worker *worker = lane->worker;

    lane->is_under_way = false;
    if (worker->phase == PHASE_LEAVING)
        return;
    if (answer->status == STATUS_OK_HTTP)
        take_results(lane, answer);
    else if (answer->status == STATUS_BAD || answer->status == STATUS_TOO_LARGE ||
             answer->status == STATUS_WRONG)
        refuse(lane, answer);
    else
        fail(lane, answer);
    /* Reports that waited for a sign of life may go now, and what gathered in this lane. */
    for (int i = 0; i < WORKER_LANES; i++)
        lane_kick(&worker->lanes[i]);
}

/* When there is something to send; INT64_MAX: there is nothing. */
static int64_t first_due(const struct lane *lane)
{
    const struct worker *worker = lane->worker;
    int64_t first = INT64_MAX;

    for (int i = 0; i < worker->options.places; i++) {
        int64_t due = due_at(lane, &worker->places[i]);

        first = due < first ? due : first;
    }
    return first;
}

void lane_kick(struct lane *lane)
{
    int64_t now = clock_boot_us(), due;

    if (lane->is_under_way || lane->worker->phase == PHASE_LEAVING)
        return;
    due = first_due(lane);
    if (due == INT64_MAX)
        loop_timer_stop(lane->timer);
    else
        loop_timer_set(lane->timer, (due > lane->not_before ? due : lane->not_before) - now);
}

void lane_on_time(void *with)
{
    static const char *const paths[WORKER_LANES] = {
        [LANE_BEAT] = "/api/v1/runs/heartbeat",
        [LANE_COMPLETE] = "/api/v1/runs/complete",
        [LANE_FAIL] = "/api/v1/runs/fail",
        [LANE_RELEASE] = "/api/v1/runs/release",
    };
    struct lane *lane = with;
    struct text body = {0};

    gather(lane, &body, clock_boot_us());
    if (lane->sent_count > 0) {
        struct client_request post = {.path = paths[lane->kind], .body = text_as_str(&body)};

        lane->is_under_way = true;
        client_send(lane->worker->client, &post, on_answer, lane);
    }
    text_clear(&body);
    lane_kick(lane);
}
