/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the schedules of a Conductor server, saves them in Belfry by the same requests, and
 * pauses them there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/import/move_sources.h"
#include "core/time/text.h"
#include "io/clock.h"

enum {
    PAGE = 500,
    PAGES_MAX = 100000,
    HTTP_NOT_FOUND = 404,
    PREVIEW_MAX = 5,
    EXPRESSIONS_MAX = 100
};

#define API "/api/scheduler"
/* Conductor moves its records to where they can be searched within five seconds. */
#define SETTLE (7 * SPAN_S)

struct from_conductor {
    struct rest_batch *there;
    char url[REMOTE_PATH_MAX];
};

/* ---- calls ---- */

struct rest_set {
    struct rest_call *calls;
    struct moved **owners;
    int count;
};

static struct rest_set set_new(struct move *move, int room)
{
    return (struct rest_set){
        .calls = arena_array(move->arena, (size_t)room, sizeof(struct rest_call)),
        .owners = arena_array(move->arena, (size_t)room, sizeof(struct moved *))};
}

/* API/schedules/NAME and the tail. */
static struct buf path_of(struct move *move, const struct moved *one, const char *tail)
{
    struct buf out = arena_buf(move->arena, CLIENT_PATH_MAX);

    buf_text(&out, API "/schedules/");
    rest_escape(&out, one->id);
    buf_text(&out, tail);
    return out;
}

static void set_add(struct rest_set *set, struct moved *owner, const char *method,
                    const struct buf *path)
{
    if (path->cut) {
        moved_end(owner, MOVE_INVALID, "the name is too long");
        return;
    }
    set->owners[set->count] = owner;
    set->calls[set->count++] = (struct rest_call){.method = method, .path = path->ptr};
}

/* Ends the schedules whose requests failed. */
static void set_check(const struct rest_set *set, const char *who)
{
    for (int i = 0; i < set->count; i++) {
        const struct rest_call *call = &set->calls[i];

        if (!rest_is_ok(call))
            moved_end(set->owners[i], call->status == 400 ? MOVE_INVALID : MOVE_FAILED,
                      "%s: %s", who, call->text);
    }
}

/* ---- the list ---- */

static int report_call(const struct from_conductor *f, const struct rest_call *call)
{
    report_note("%s: %s", f->url, call->text[0] ? call->text : "the answer is not JSON");
    return call->status == 0 ? STATUS_UNREACHABLE : STATUS_FAILED;
}

static void add_ids(struct move *move, const json_t *list)
{
    size_t i;
    const json_t *one;

    json_array_foreach(list, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));

        if (name && move->id_count < MOVE_IDS_MAX)
            move_add_id(move, str_of(name));
    }
}

/* Versions without a search have one list. */
static int list_whole(struct move *move)
{
    struct from_conductor *f = move->state;
    struct rest_call call = {.method = "GET", .path = API "/schedules"};
    int status = STATUS_OK;

    rest_batch_run(f->there, &call, 1);
    if (rest_is_ok(&call) && json_is_array(call.json))
        add_ids(move, call.json);
    else
        status = report_call(f, &call);
    rest_calls_clear(&call, 1);
    return status;
}

static int list(struct move *move)
{
    struct from_conductor *f = move->state;
    int status = STATUS_OK, got = PAGE;

    for (int page = 0; page < PAGES_MAX && got > 0 && status == STATUS_OK; page++) {
        char path[256];
        struct rest_call call = {.method = "GET", .path = path};
        const json_t *results;

        snprintf(path, sizeof path, API "/schedules/search?start=%d&size=%d", page * PAGE,
                 PAGE);
        rest_batch_run(f->there, &call, 1);
        results = json_object_get(call.json, "results");
        got = (int)json_array_size(results);
        if (rest_is_ok(&call) && json_is_array(results))
            add_ids(move, results);
        else if (page == 0 && call.status == HTTP_NOT_FOUND)
            status = list_whole(move);
        else
            status = report_call(f, &call);
        rest_calls_clear(&call, 1);
        progress_show(&move->progress, move->id_count, 0);
    }
    return status;
}

/* ---- reading ---- */

/* Members that a server sets itself, and the pause. */
static const char *const state_members[] = {"createTime", "updatedTime", "createdBy",
                                            "updatedBy",  "nextRunTime", "orgId",
                                            "queueMsgId", "paused",      "pausedReason"};

static json_t *plain_copy(const json_t *schedule)
{
    json_t *copy = json_deep_copy(schedule);

    must(copy);
    for (size_t i = 0; i < sizeof state_members / sizeof state_members[0]; i++)
        json_object_del(copy, state_members[i]);
    return copy;
}

static uint64_t print_of(const json_t *schedule)
{
    json_auto_t *copy = plain_copy(schedule);
    char *text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
    uint64_t print;

    must(text);
    print = hash_u64(hash_bytes(text, strlen(text), 0));
    free(text);
    return print;
}

static void read_one(struct move *move, struct moved *one, const struct rest_call *call)
{
    const json_t *json = call->json;
    struct str reason = arena_str(move->arena, str_of(member_text(json, "pausedReason")));
    uint64_t print;

    if (!json_is_object(json)) {
        moved_end(one, MOVE_FAILED, "the answer is not a schedule");
        return;
    }
    print = print_of(json);
    if (one->document && print != one->print)
        moved_end(one, MOVE_EXISTS, "it was changed there meanwhile; repeat the command");
    one->print = print;
    json_decref(one->document);
    one->document = json_incref(call->json);
    moved_read_note(one, reason, json_is_true(json_object_get(json, "paused")));
}

/* Reads the schedules that `is_wanted` selects; returns the earlier of both clocks. */
static instant read_some(struct move *move, struct moved *list, int count,
                         bool (*is_wanted)(const struct moved *one))
{
    struct from_conductor *f = move->state;
    struct rest_set set = set_new(move, count);
    instant now = clock_now();

    for (int i = 0; i < count; i++)
        if (!list[i].is_done && (!is_wanted || is_wanted(&list[i]))) {
            struct buf path = path_of(move, &list[i], "");

            set_add(&set, &list[i], "GET", &path);
        }
    rest_batch_run(f->there, set.calls, set.count);
    set_check(&set, move->source->name);
    for (int i = 0; i < set.count; i++) {
        if (set.calls[i].server_now != INSTANT_NONE && set.calls[i].server_now < now)
            now = set.calls[i].server_now;
        if (!set.owners[i]->is_done)
            read_one(move, set.owners[i], &set.calls[i]);
    }
    rest_calls_clear(set.calls, set.count);
    return now;
}

static void forget(struct moved *one)
{
    json_decref(one->document);
}

static void read_all(struct move *move, struct moved *list, int count)
{
    (void)read_some(move, list, count, NULL);
}

static json_t *cron_of(const json_t *entry)
{
    const char *zone = json_string_value(json_object_get(entry, "zoneId"));
    json_t *cron = json_new_object();

    json_put(cron, "expr", json_new_str(str_of(member_text(entry, "cronExpression"))));
    json_put(cron, "dialect", json_new_str(STR("spring")));
    json_put(cron, "timezone", json_new_str(zone && zone[0] ? str_of(zone) : STR("UTC")));
    return cron;
}

/* Conductor's bounds are milliseconds; 0 means none. */
static void put_bound(json_t *spec, const char *name, const json_t *ms)
{
    char text[INSTANT_TEXT_MAX];
    struct buf out = BUF(text);

    if (json_integer_value(ms) <= 0 || json_integer_value(ms) > INT64_MAX / SPAN_MS)
        return;
    instant_format_ms(json_integer_value(ms) * SPAN_MS, &out);
    json_put(spec, name, json_new_str(buf_as_str(&out)));
}

static json_t *spec_of(struct move *move, const struct moved *one, struct err *reterr)
{
    const json_t *entries = json_object_get(one->document, "cronSchedules");
    json_t *spec = json_new_object(), *list = json_new_list();

    (void)move;
    (void)reterr;
    for (size_t i = 0; i < json_array_size(entries); i++)
        json_add(list, cron_of(json_array_get(entries, i)));
    if (json_array_size(entries) == 0)
        json_add(list, cron_of(one->document));
    json_put(spec, "cron", list);
    put_bound(spec, "start", json_object_get(one->document, "scheduleStartTime"));
    put_bound(spec, "end", json_object_get(one->document, "scheduleEndTime"));
    return spec;
}

/* ---- creating ---- */

static json_t *create_body(struct move *move, const struct moved *one)
{
    struct buf note = arena_buf(move->arena, HANDOVER_NOTE_MAX);
    json_t *body = plain_copy(one->document);

    handover_note_here(one->print, one->note, &note);
    json_put(body, "paused", json_true());
    json_put(body, "pausedReason", json_new_str(buf_as_str(&note)));
    return body;
}

static void create(struct move *move, struct moved *list, int count)
{
    struct rest_set set = set_new(move, count);
    struct buf path = arena_buf(move->arena, CLIENT_PATH_MAX);

    buf_text(&path, API "/schedules");
    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].here == HERE_ABSENT) {
            set_add(&set, &list[i], "POST", &path);
            set.calls[set.count - 1].body = create_body(move, &list[i]);
        }
    rest_batch_run(move->here, set.calls, set.count);
    set_check(&set, "Belfry");
    for (int i = 0; i < set.count; i++) {
        if (!set.owners[i]->is_done) {
            set.owners[i]->is_created = true;
            set.owners[i]->here = HERE_WAITS;
        }
        json_decref(set.calls[i].body);
    }
    rest_calls_clear(set.calls, set.count);
}

/* ---- times ---- */

static void add_time(struct move_times *times, instant t)
{
    int at = times->count;

    while (at > 0 && times->at[at - 1] > t)
        at--;
    if ((at > 0 && times->at[at - 1] == t) || at == HANDOVER_TIMES)
        return;
    if (times->count == HANDOVER_TIMES)
        times->count--;
    memmove(&times->at[at + 1], &times->at[at],
            (size_t)(times->count - at) * sizeof times->at[0]);
    times->at[at] = t;
    times->count++;
}

static void read_times_answer(const struct rest_call *call, struct move_times *times)
{
    size_t i;
    const json_t *time;

    json_array_foreach(call->json, i, time) add_time(times, json_integer_value(time) * SPAN_MS);
    times->is_known = true;
}

/* The times in the schedule's own zone; Conductor's current version does not have this. */
static void read_next(struct move *move, struct moved *list, int count, bool is_there)
{
    struct from_conductor *f = move->state;
    struct rest_set set = set_new(move, count);

    for (int i = 0; i < count; i++)
        if (list[i].document && (is_there || list[i].here != HERE_ABSENT)) {
            struct buf path = path_of(move, &list[i], "/next-execution-times?count=12");

            set_add(&set, &list[i], "GET", &path);
        }
    rest_batch_run(is_there ? f->there : move->here, set.calls, set.count);
    for (int i = 0; i < set.count; i++)
        if (rest_is_ok(&set.calls[i]) && json_is_array(set.calls[i].json))
            read_times_answer(&set.calls[i], is_there ? &set.owners[i]->times_there
                                                      : &set.owners[i]->times_here);
    rest_calls_clear(set.calls, set.count);
}

static bool is_utc(const json_t *zone)
{
    const char *name = json_string_value(zone);

    return !name || name[0] == '\0' || strcmp(name, "UTC") == 0 || strcmp(name, "Z") == 0 ||
           strcmp(name, "Etc/UTC") == 0 || strcmp(name, "GMT") == 0;
}

/* Appends the preview of one expression to the set; false: it has another zone than UTC. */
static bool add_preview(struct move *move, struct rest_set *set, struct moved *one,
                        const json_t *entry, instant after)
{
    static const char *const bounds[] = {"scheduleEndTime"};
    struct buf path = arena_buf(move->arena, CLIENT_PATH_MAX);
    int64_t start = json_integer_value(json_object_get(one->document, "scheduleStartTime"));
    int64_t end = json_integer_value(json_object_get(one->document, bounds[0]));

    if (!is_utc(json_object_get(entry, "zoneId")))
        return false;
    buf_text(&path, API "/nextFewSchedules?limit=5&cronExpression=");
    rest_escape(&path, str_of(member_text(entry, "cronExpression")));
    if (after / SPAN_MS > start)
        start = after / SPAN_MS;
    buf_printf(&path, "&scheduleStartTime=%lld", (long long)start);
    if (end > 0)
        buf_printf(&path, "&%s=%lld", bounds[0], (long long)end);
    set_add(set, one, "GET", &path);
    return true;
}

/* Adds the previews of all expressions of a schedule; nothing if one of them is impossible. */
static void add_previews(struct move *move, struct rest_set *set, struct moved *one)
{
    const json_t *entries = json_object_get(one->document, "cronSchedules");
    int before = set->count;
    instant after = move->now + SPAN_S;
    bool is_possible = json_array_size(entries) <= EXPRESSIONS_MAX;

    if (one->times_there.count > 0)
        after = one->times_there.at[one->times_there.count - 1] + SPAN_S;
    for (size_t i = 0; i < json_array_size(entries) && is_possible; i++)
        is_possible = add_preview(move, set, one, json_array_get(entries, i), after);
    if (json_array_size(entries) == 0)
        is_possible = add_preview(move, set, one, one->document, after);
    if (!is_possible)
        set->count = before;
}

/*
 * Conductor previews an expression only in UTC, five times each: two rounds give ten.  A second
 * round would leave gaps between the times of several expressions, so they get one.
 */
static void read_previews(struct move *move, struct moved *list, int count, int round)
{
    struct from_conductor *f = move->state;
    struct rest_set set = set_new(move, count * EXPRESSIONS_MAX);

    for (int i = 0; i < count; i++) {
        bool is_single = json_array_size(json_object_get(list[i].document, "cronSchedules")) <
                         2;
        int wanted = round == 0 ? 0 : PREVIEW_MAX;

        if (list[i].document && list[i].times_there.is_known == (round > 0) &&
            list[i].times_there.count == wanted && (round == 0 || is_single))
            add_previews(move, &set, &list[i]);
    }
    rest_batch_run(f->there, set.calls, set.count);
    for (int i = 0; i < set.count; i++)
        if (rest_is_ok(&set.calls[i]) && json_is_array(set.calls[i].json)) {
            read_times_answer(&set.calls[i], &set.owners[i]->times_there);
            set.owners[i]->times_there.is_cut = true;
        }
    rest_calls_clear(set.calls, set.count);
}

static void read_times(struct move *move, struct moved *list, int count)
{
    read_next(move, list, count, true);
    read_previews(move, list, count, 0);
    read_previews(move, list, count, 1);
    read_next(move, list, count, false);
}

/* ---- take-over ---- */

static bool wants_pause(const struct moved *one)
{
    return one->wants_pause;
}

static bool is_left(const struct moved *one)
{
    return one->is_left;
}

static void pause_all(struct move *move, struct moved *list, int count)
{
    struct from_conductor *f = move->state;
    struct rest_set set = set_new(move, count);
    instant now = read_some(move, list, count, wants_pause);

    for (int i = 0; i < count; i++) {
        struct buf note = arena_buf(move->arena, HANDOVER_NOTE_MAX), path;

        if (list[i].is_done || !list[i].wants_pause)
            continue;
        if (list[i].is_paused) {
            moved_end(&list[i], MOVE_STAYS_PAUSED, "it was paused there meanwhile");
            continue;
        }
        handover_note_there(handover_bound(now, INSTANT_NEVER, false), list[i].note, &note);
        path = path_of(move, &list[i], "/pause?reason=");
        rest_escape(&path, buf_as_str(&note));
        set_add(&set, &list[i], "PUT", &path);
    }
    rest_batch_run(f->there, set.calls, set.count);
    set_check(&set, move->source->name);
    for (int i = 0; i < set.count; i++)
        set.owners[i]->is_left = !set.owners[i]->is_done;
    rest_calls_clear(set.calls, set.count);
}

static void set_last(struct moved *one, const struct rest_call *call)
{
    const json_t *results = json_object_get(call->json, "results");
    instant started[MOVE_STARTED_MAX];
    struct handover_evidence evidence = {.bound = one->bound, .started = started};
    size_t i;
    const json_t *record;

    if (!json_is_array(results)) {
        moved_end(one, MOVE_FAILED, "the records of its runs cannot be read");
        return;
    }
    json_array_foreach(results, i, record)
    {
        int64_t ms = json_integer_value(json_object_get(record, "scheduledTime"));

        if (str_eq(str_of(member_text(record, "scheduleName")), one->id) &&
            evidence.started_count < MOVE_STARTED_MAX && ms > 0)
            started[evidence.started_count++] = ms * SPAN_MS;
    }
    one->last = handover_last(&evidence);
}

/* A record of any state is a slot that Conductor has begun. */
static void read_last(struct move *move, struct moved *list, int count)
{
    struct from_conductor *f = move->state;
    struct rest_set set = set_new(move, count);

    (void)read_some(move, list, count, is_left);
    for (int i = 0; i < count; i++) {
        struct buf path = arena_buf(move->arena, CLIENT_PATH_MAX);
        struct moved *one = &list[i];

        if (!one->is_done && one->wants_pause && !one->is_left)
            moved_end(one, MOVE_FAILED, "the pause there was not confirmed");
        if (one->is_done || !one->is_left)
            continue;
        buf_printf(&path, API "/search/executions?start=0&size=%d&sort=scheduledTime%%3ADESC",
                   MOVE_STARTED_MAX);
        buf_text(&path, "&query=scheduleName%20IN%20%28");
        rest_escape(&path, one->id);
        buf_text(&path, "%29");
        set_add(&set, one, "GET", &path);
    }
    rest_batch_run(f->there, set.calls, set.count);
    set_check(&set, move->source->name);
    for (int i = 0; i < set.count; i++)
        if (!set.owners[i]->is_done)
            set_last(set.owners[i], &set.calls[i]);
    rest_calls_clear(set.calls, set.count);
}

/* ---- the connection ---- */

static const struct move_source source = {
    .name = "Conductor",
    .dialect = "conductor",
    .settle = SETTLE,
    .list = list,
    .read = read_all,
    .spec = spec_of,
    .create = create,
    .read_times = read_times,
    .pause = pause_all,
    .read_last = read_last,
    .forget = forget,
};

int from_conductor_open(const struct args *args, struct move *move)
{
    struct from_conductor *f = calloc(1, sizeof *f);
    struct str url = str_of(args->operand[0]);
    struct buf out = BUF(f->url);
    struct client_options options = {.namespace = "",
                                     .token = getenv("BELFRY_SOURCE_TOKEN"),
                                     .is_conductor = true,
                                     .ca_file = args->value[MOVE_SOURCE_CA],
                                     .agent = "belfry/" BELFRY_VERSION};
    struct err err;

    must(f);
    out = BUF(f->url);
    move->source = &source;
    move->state = f;
    while (url.len > 0 && url.ptr[url.len - 1] == '/')
        url.len--;
    if (url.len > 4 && str_eq(str_from(url, url.len - 4), STR("/api")))
        url.len -= 4;
    buf_str(&out, url);
    options.server = f->url;
    if (rest_batch_new(&options, &f->there, &err) != RC_OK)
        return report_usage(&err, args->command->name);
    return STATUS_OK;
}

void from_conductor_close(struct move *move)
{
    struct from_conductor *f = move->state;

    if (!f)
        return;
    rest_batch_free(f->there);
    free(f);
}
