/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named calendars: lists of days that specs exclude by name.  When a calendar changes, the
 * schedules that use it are planned again.
 */
#include "api/native/native_calendars.h"

#include <stdlib.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/schedule_times.h"
#include "core/limits.h"
#include "core/time/text.h"
#include "model/member.h"

enum {
    CALENDAR_DATES_MAX = 10000, /* of one calendar: a hundred years of two days a week */
    DATE_TEXT_MAX = 16,
    DAY_BYTES = 4,
};

struct days {
    int32_t *list;
    int count;
};

static enum rc read_date(const json_t *item, int i, void *to, struct err *reterr)
{
    struct days *days = to;
    struct str text;
    int64_t day;
    enum rc rc = json_take_str(item, DATE_TEXT_MAX, &text, reterr);

    if (rc == RC_OK)
        rc = date_parse(text, &day, reterr);
    if (rc == RC_OK)
        days->list[i] = (int32_t)day;
    return rc;
}

static int compare_days(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Sorts the days and removes duplicates. */
static void sort_days(struct days *days)
{
    int kept = 0;

    if (days->count > 0)
        qsort(days->list, (size_t)days->count, sizeof *days->list, compare_days);
    for (int i = 0; i < days->count; i++)
        if (kept == 0 || days->list[i] != days->list[kept - 1])
            days->list[kept++] = days->list[i];
    days->count = kept;
}

static struct str pack_days(const struct days *days, struct arena *arena)
{
    unsigned char *bytes = arena_array(arena, (size_t)days->count, DAY_BYTES);

    for (int i = 0; i < days->count; i++)
        for (int k = 0; k < DAY_BYTES; k++)
            bytes[i * DAY_BYTES + k] = (unsigned char)((uint32_t)days->list[i] >> 8 * k);
    return (struct str){(const char *)bytes, (size_t)days->count * DAY_BYTES};
}

static enum rc read_dates(const json_t *json, struct arena *arena, struct str *ret,
                          struct err *reterr)
{
    static const char *const names[] = {"dates"};
    const json_t *dates = json_object_get(json, "dates");
    struct days days = {0};
    enum rc rc = json_check_names(json, names, 1, reterr);

    if (rc == RC_OK)
        rc = json_require(json, "dates", reterr);
    if (rc != RC_OK)
        return rc;
    rc = json_take_count(dates, CALENDAR_DATES_MAX, &days.count, reterr);
    if (rc == RC_OK) {
        days.list = arena_array(arena, (size_t)days.count, sizeof *days.list);
        rc = json_take_items(dates, read_date, &days, reterr);
    }
    if (rc != RC_OK)
        return err_in(reterr, "dates");
    sort_days(&days);
    *ret = pack_days(&days, arena);
    return RC_OK;
}

enum call_step calendar_put_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_CALENDAR);
    json_auto_t *json = NULL;
    enum call_step step;
    bool is_new;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_only_new(call, &is_new, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (is_new)
        return change_refuse(call, "If-None-Match",
                             "is not supported for calendars; use If-Match");
    if (!request_new_name(call, SPEC_NAME_MAX, &step) ||
        !request_json(call, false, &json, &step))
        return step;
    if (read_dates(json, call->arena, &command->days, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

void calendar_print_dates(struct str days, struct arena *scratch, struct answer *out)
{
    struct day_set set = schedule_times_days(days, scratch);

    answer_name(out, "dates");
    answer_text(out, "[");
    for (int i = 0; i < set.count; i++) {
        char text[DATE_TEXT_MAX];
        struct buf date = BUF(text);

        date_format(set.days[i], &date);
        answer_text(out, i > 0 ? "," : "");
        answer_quoted(out, buf_as_str(&date));
    }
    answer_text(out, "]");
}

static void print_calendar(const struct call *call, const struct calendar_row *row,
                           struct answer *out)
{
    answer_open(out);
    answer_put_text(out, "name", row->name);
    calendar_print_dates(row->days, call->arena, out);
    answer_put_int(out, "version", row->version);
    answer_put_instant(out, "updatedAt", row->updated_at);
    answer_text(out, "}");
}

enum call_step calendar_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    struct calendar_row row;
    bool is_put = call->command_count > 0;
    struct err err;

    calendars_get(db, call->namespace, call->params[0], &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    if (rows.rows == 0)
        return call_problem(call, 404, "not_found", "calendar \"%.*s\" does not exist",
                            STR_ARG(call->params[0]));
    calendars_read(&rows, 0, &row);
    print_calendar(call, &row, &out);
    view_etag(call, row.version);
    return call_answer(call, is_put && row.version == 1 ? 201 : 200, answer_done(&out));
}

enum call_step calendar_delete_begin(struct call *call)
{
    enum call_step step = request_named(call);
    struct command *command;
    struct err err;

    if (step == CALL_ANSWER)
        return step;
    command = change_command(call, COMMAND_UNCALENDAR);
    if (request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

/* Without the dates; calendar.get returns them. */
static struct str print_calendar_row(const struct call *call, const struct db_result *rows,
                                     int i, struct answer *out)
{
    struct calendar_row row;

    (void)call;
    calendars_read(rows, i, &row);
    answer_open(out);
    answer_put_text(out, "name", row.name);
    answer_put_int(out, "count", (int64_t)row.days.len / DAY_BYTES);
    answer_put_int(out, "version", row.version);
    answer_put_instant(out, "updatedAt", row.updated_at);
    answer_text(out, "}");
    return row.name;
}

enum call_step calendar_list_read(struct call *call, struct db *db)
{
    static const struct named_list list = {"calendars", calendars_list, print_calendar_row};

    return page_list_read(call, db, &list);
}
