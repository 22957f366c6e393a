/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the few rows that explain what needs attention.  The catalogue has selected the
 * schedules; since then some may have been deleted or have recovered, which are left out.
 */
#include "api/overview/attention.h"

#include <inttypes.h>
#include <stdlib.h>

#include "api/access/roles.h"
#include "api/catalogue/catalogue_read.h"
#include "core/time/text.h"
#include "store/catalogue_rows.h"
#include "store/cursors.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/overview.h"
#include "store/views.h"
#include "wire/json/json.h"

enum {
    ITEMS_MAX = 50,    /* of an answer                                */
    OTHERS_MAX = 1000, /* approvals and queues that are read, of each */
    TEXT_MAX = 512,    /* bytes of a text: one line                   */
    CURSOR_STATEMENTS = (SURVEY_TROUBLED + CATALOGUE_KEYS_MAX - 1) / CATALOGUE_KEYS_MAX,
};

#define WAITS_LONG    SPAN_MIN /* for a worker: CATALOGUE_LATE_AFTER             */
#define POLLED_WITHIN SPAN_H   /* a queue that nobody has polled for longer has no worker */
#define SETTLED       (10 * SPAN_MIN) /* after a start: workers connect and poll again     */

enum severity { SEVERITY_NOTE = 1, SEVERITY_WARNING, SEVERITY_ERROR };

struct item {
    const char *kind;
    struct str schedule; /* empty: of no single schedule      */
    instant since;       /* INSTANT_NONE: unknown             */
    enum severity severity;
    struct buf text;
};

/* What is read about one schedule. */
struct trouble {
    const struct catalogue_troubled *of;
    struct cursor cursor;
    bool has_cursor;
    struct db_result since, failure, slots;
};

struct list {
    const struct attention *attention;
    struct item *items;
    int count, room;
    int64_t total;
    bool is_cut; /* there are more than `total` */
    struct trouble troubles[SURVEY_TROUBLED];
    struct db_result approvals, queues, nodes;
};

static struct item *add_item(struct list *list, const char *kind, enum severity severity)
{
    struct item *item = &list->items[list->count++];

    *item = (struct item){.kind = kind,
                          .since = INSTANT_NONE,
                          .severity = severity,
                          .text = arena_buf(list->attention->call->arena, TEXT_MAX)};
    return item;
}

/* A time of today without its date. */
static void write_time(const struct list *list, instant at, struct buf *out)
{
    const struct tz *tz = list->attention->tz;
    instant now = list->attention->call->now;
    int64_t local = instant_seconds(at) + tz_offset(tz, instant_seconds(at));
    int64_t today = instant_seconds(now) + tz_offset(tz, instant_seconds(now));
    int64_t day = floor_div(local, DAY_SECONDS);
    int32_t minutes = (int32_t)((local - day * DAY_SECONDS) / 60);

    if (day != floor_div(today, DAY_SECONDS)) {
        date_format(day, out);
        buf_char(out, ' ');
    }
    time_of_day_format(minutes * 60, out);
}

/* ---- schedules ---- */

/* The message of the last failure, else its outcome. */
static void write_error(const struct trouble *t, struct buf *out)
{
    struct overview_failure failure;
    json_auto_t *error = NULL;
    const char *message;

    if (t->failure.rows == 0)
        return;
    overview_last_failure_read(&t->failure, &failure);
    error = failure.error.len > 0 ? json_of_kept(failure.error) : NULL;
    message = json_string_value(json_object_get(error, "message"));
    if (!message)
        message = reason_sentence(failure.reason);
    if (!message)
        message = outcome_text(failure.outcome);
    buf_printf(out, ": %.*s", STR_ARG(str_of(message)));
}

/* The first failure in a row; INSTANT_NONE: it is not kept. */
static instant failing_since(const struct trouble *t)
{
    return t->since.rows == 1 ? db_int_at(&t->since, 0, 0) : INSTANT_NONE;
}

/* Its runs do not fail; the upstream does not start them. */
static bool is_of_upstream(const struct trouble *t)
{
    struct overview_failure failure;

    if (t->failure.rows == 0)
        return false;
    overview_last_failure_read(&t->failure, &failure);
    return failure.reason == REASON_NOT_STARTED;
}

static void add_failing(struct list *list, const struct trouble *t)
{
    bool is_paused = t->of->trouble == TROUBLE_PAUSED;
    bool is_bad = t->cursor.failures >= FAILING_FROM;
    struct item *item;

    if (t->cursor.failures == 0)
        return;
    item = add_item(list,
                    is_paused           ? "paused"
                    : is_of_upstream(t) ? "upstream"
                                        : "failing",
                    is_paused ? SEVERITY_NOTE
                    : is_bad  ? SEVERITY_ERROR
                              : SEVERITY_WARNING);
    item->schedule = t->of->name;
    item->since = failing_since(t);
    buf_text(&item->text, is_paused ? "paused; before, it " : "");
    if (t->cursor.failures == 1)
        buf_text(&item->text, "failed");
    else
        buf_printf(&item->text, "failed %" PRId64 " times in a row", t->cursor.failures);
    if (item->since != INSTANT_NONE) {
        buf_text(&item->text, t->cursor.failures == 1 ? " at " : " since ");
        write_time(list, item->since, &item->text);
    }
    write_error(t, &item->text);
}

static void add_quarantined(struct list *list, const struct trouble *t)
{
    struct item *item;

    if (!(t->cursor.flags & CURSOR_QUARANTINED))
        return;
    item = add_item(list, "quarantined", SEVERITY_ERROR);
    item->schedule = t->of->name;
    buf_text(&item->text, "quarantined, because its program ran whenever its server died; "
                          "correct it, then release it");
}

static void add_late(struct list *list, const struct trouble *t)
{
    instant due = t->cursor.wake_at;
    struct item *item;

    if (catalogue_read_cursor(&t->cursor).late_at > list->attention->call->now)
        return;
    item = add_item(list, "late", SEVERITY_ERROR);
    item->schedule = t->of->name;
    item->since = due;
    buf_text(&item->text, "due since ");
    write_time(list, due, &item->text);
    buf_text(&item->text, ", but not started; the server may be busy");
}

static void add_missed(struct list *list, const struct trouble *t)
{
    int64_t count;
    struct item *item;

    if (t->slots.rows == 0 || db_int_at(&t->slots, 0, 3) != OUTCOME_MISSED)
        return;
    count = db_int_at(&t->slots, 0, 2);
    item = add_item(list, "missed", SEVERITY_WARNING);
    item->schedule = t->of->name;
    item->since = db_int_at(&t->slots, 0, 0);
    if (count > 1)
        buf_printf(&item->text, "missed %" PRId64 " slots, from ", count);
    else
        buf_text(&item->text, "missed the slot at ");
    write_time(list, item->since, &item->text);
    if (count > 1) {
        buf_text(&item->text, " to ");
        write_time(list, db_int_at(&t->slots, 0, 1), &item->text);
    }
    buf_text(&item->text, db_int_at(&t->slots, 0, 4) == REASON_CLOCK
                              ? ": the clock jumped"
                              : ": older than its catch-up window");
}

static void add_trouble(struct list *list, const struct trouble *t)
{
    if (!t->has_cursor || t->cursor.flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return;
    switch (t->of->trouble) {
    case TROUBLE_QUARANTINED:
        add_quarantined(list, t);
        return;
    case TROUBLE_LATE:
        add_late(list, t);
        return;
    case TROUBLE_FAILING:
    case TROUBLE_FAILED:
    case TROUBLE_PAUSED:
        add_failing(list, t);
        return;
    case TROUBLE_MISSED:
        add_missed(list, t);
        return;
    case TROUBLE_COUNT:
        return;
    }
}

/* ---- the rest ---- */

static void add_approvals(struct list *list)
{
    const struct db_result *rows = &list->approvals;

    for (int i = 0; i < rows->rows; i++) {
        struct item *item = add_item(list, "approval", SEVERITY_WARNING);
        int64_t count = db_int_at(rows, i, 2);

        item->schedule = db_text_at(rows, i, 1);
        item->since = db_int_at(rows, i, 3);
        if (count == 1)
            buf_text(&item->text, "a run waits for approval since ");
        else
            buf_printf(&item->text, "%" PRId64 " runs wait for approval, the first since ",
                       count);
        write_time(list, item->since, &item->text);
    }
}

static void add_queues(struct list *list)
{
    const struct db_result *rows = &list->queues;
    const struct call *call = list->attention->call;
    bool is_settled = call->context->parts.started_at <= call->now - SETTLED;
    instant polled_from = call->now - POLLED_WITHIN - QUEUE_POLL_NOTED;

    for (int i = 0; i < rows->rows; i++) {
        bool is_paused = db_int_at(rows, i, 2) != 0;
        bool is_polled = !is_settled || db_int_at(rows, i, 3) >= polled_from;
        int64_t count = db_int_at(rows, i, 4);
        struct item *item = add_item(
            list, "queue", is_paused || is_polled ? SEVERITY_WARNING : SEVERITY_ERROR);

        item->since = db_int_at(rows, i, 5);
        buf_printf(&item->text, "queue \"%.*s\": %" PRId64 " %s since ",
                   STR_ARG(db_text_at(rows, i, 1)), count,
                   count == 1 ? "run waits" : "runs wait, the first");
        write_time(list, item->since, &item->text);
        buf_text(&item->text, is_paused    ? "; the queue is paused"
                              : !is_polled ? "; no worker has polled it for an hour"
                              : count == 1 ? "; no worker has taken it yet"
                                           : "; no worker has taken them yet");
    }
}

static void add_nodes(struct list *list)
{
    instant now = list->attention->call->now;

    for (int i = 0; i < list->nodes.rows && list->count < list->room; i++) {
        struct node node;
        struct item *item;

        nodes_read(&list->nodes, i, &node);
        if (node.state == NODE_DOWN || (node.state == NODE_UP && node.lease_until >= now))
            continue;
        item = add_item(list, "node", SEVERITY_ERROR);
        item->since = node.turned_at > 0 ? node.turned_at : node.lease_until;
        buf_printf(&item->text, "node \"%.*s\" has not worked since ", STR_ARG(node.name));
        write_time(list, item->since, &item->text);
        list->total++;
    }
}

/* ---- reading ---- */

static bool sees_nodes(const struct call *call)
{
    return role_has(call->caller.role, call->caller.is_everywhere, RIGHT_SERVER);
}

static void take_cursors(struct list *list, const struct db_result *rows)
{
    for (int row = 0; row < rows->rows; row++) {
        struct cursor cursor;

        cursors_read(rows, row, &cursor);
        for (int i = 0; i < list->attention->survey->worst_count; i++)
            if (list->troubles[i].of->id == cursor.id) {
                list->troubles[i].cursor = cursor;
                list->troubles[i].has_cursor = true;
            }
    }
}

static enum rc read_cursors(struct list *list, struct db *db, struct err *reterr)
{
    const struct catalogue_survey *survey = list->attention->survey;
    struct db_result rows[CURSOR_STATEMENTS] = {0};
    int64_t keys[SURVEY_TROUBLED];
    int statements = 0;
    enum rc rc;

    for (int i = 0; i < survey->worst_count; i++) {
        list->troubles[i].of = &survey->worst[i];
        keys[i] = survey->worst[i].id;
    }
    for (int done = 0; done < survey->worst_count; done += CATALOGUE_KEYS_MAX) {
        int left = survey->worst_count - done;

        catalogue_cursors_get(db, &keys[done],
                              left < CATALOGUE_KEYS_MAX ? left : CATALOGUE_KEYS_MAX,
                              &rows[statements++]);
    }
    rc = db_flush(db, list->attention->call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < statements; i++)
        take_cursors(list, &rows[i]);
    return rc;
}

static enum rc read_details(struct list *list, struct db *db, struct err *reterr)
{
    const struct call *call = list->attention->call;

    for (int i = 0; i < list->attention->survey->worst_count; i++) {
        struct trouble *t = &list->troubles[i];

        if (t->has_cursor && t->cursor.failures > 0) {
            attempt_views_failing_since(db, t->of->id, t->cursor.failures, &t->since);
            overview_last_failure(db, t->of->id, &t->failure);
        }
        if (t->of->trouble == TROUBLE_MISSED)
            overview_last_slots(db, t->of->id, &t->slots);
    }
    overview_approvals(db, call->namespace, OTHERS_MAX, &list->approvals);
    overview_queues(db, call->namespace, call->now - WAITS_LONG, OTHERS_MAX, &list->queues);
    if (sees_nodes(call))
        nodes_list(db, &list->nodes);
    return db_flush(db, call->arena, reterr);
}

/* ---- printing ---- */

static void print_item(const struct item *item, struct answer *out)
{
    answer_open(out);
    answer_put_some(out, "schedule", item->schedule);
    answer_put_word(out, "kind", item->kind);
    answer_put_instant(out, "since", item->since);
    answer_put_int(out, "severity", item->severity);
    answer_name(out, "text");
    answer_lossy(out, buf_as_str(&item->text));
    answer_text(out, "}");
}

static void print_items(const struct list *list, struct answer *out)
{
    int printed = 0;

    answer_name(out, "attention");
    answer_text(out, "[");
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        for (int i = 0; i < list->count && printed < ITEMS_MAX; i++)
            if ((int)list->items[i].severity == severity) {
                print_item(&list->items[i], out);
                printed++;
            }
    answer_text(out, "]");
    answer_name(out, "attentionTotal");
    if (list->is_cut)
        answer_text(out, "null");
    else
        answer_int(out, list->total);
}

enum rc attention_print(const struct attention *attention, struct db *db, struct answer *out,
                        struct err *reterr)
{
    struct arena *arena = attention->call->arena;
    struct list *list = arena_take(arena, sizeof *list);
    enum rc rc;

    list->attention = attention;
    list->total = attention->survey->troubled;
    rc = read_cursors(list, db, reterr);
    if (rc == RC_OK)
        rc = read_details(list, db, reterr);
    if (rc != RC_OK)
        return rc;
    list->total += list->approvals.rows + list->queues.rows;
    list->is_cut = list->approvals.rows == OTHERS_MAX || list->queues.rows == OTHERS_MAX;
    list->room = SURVEY_TROUBLED + list->approvals.rows + list->queues.rows + list->nodes.rows;
    list->items = arena_array(arena, (size_t)list->room, sizeof *list->items);
    add_nodes(list);
    for (int i = 0; i < attention->survey->worst_count; i++)
        add_trouble(list, &list->troubles[i]);
    add_queues(list);
    add_approvals(list);
    print_items(list, out);
    return RC_OK;
}
