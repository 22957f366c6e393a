/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the filter parameters of schedule lists and matches rows.
 */
#include "api/schedules/schedule_filter.h"

#include "api/call/request.h"
#include "model/member.h"
#include "model/schedule_state.h"

const char *const schedule_filter_names[FILTER_NAMES] = {"prefix", "search", "label",
                                                         "status", "action", "queue"};

/* RC_INVALID unless the word is empty or in the list. */
static enum rc check_word(struct str word, const char *field, const char *const *words,
                          int count, struct err *reterr)
{
    char text[ERR_TEXT_MAX];
    struct buf list = BUF(text);

    if (word.len == 0)
        return RC_OK;
    for (int i = 0; i < count; i++) {
        if (str_eq(word, str_of(words[i])))
            return RC_OK;
        buf_printf(&list, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", words[i]);
    }
    err_set(reterr, RC_INVALID, 0, (int)word.len, "must be %s", text);
    return err_in(reterr, "%s", field);
}

void schedule_filter_set_label(struct schedule_filter *filter, struct str label)
{
    /* `=` first: then the name of the label may contain a colon. */
    filter->has_value = str_cut(label, '=', &filter->label, &filter->value) ||
                        str_cut(label, ':', &filter->label, &filter->value);
    if (!filter->has_value)
        filter->label = label;
}

enum rc schedule_filter_read(const struct call *call, struct schedule_filter *ret,
                             struct err *reterr)
{
    static const char *const states[] = {"active", "paused", "closed"};
    static const char *const actions[] = {"http", "exec", "queue", "workflow"};
    struct schedule_filter filter = {
        .prefix = request_query(call, "prefix"),
        .search = request_query(call, "search"),
        .label = request_query(call, "label"),
        .status = request_query(call, "status"),
        .action = request_query(call, "action"),
        .queue = request_query(call, "queue"),
    };
    enum rc rc = check_word(filter.status, "status", states, 3, reterr);

    if (rc == RC_OK)
        rc = check_word(filter.action, "action", actions, 4, reterr);
    if (rc != RC_OK)
        return rc;
    schedule_filter_set_label(&filter, filter.label);
    *ret = filter;
    return RC_OK;
}

bool schedule_filter_is_plain(const struct schedule_filter *f)
{
    return f->search.len == 0 && f->label.len == 0 && f->status.len == 0 &&
           f->action.len == 0 && f->queue.len == 0;
}

static bool equals_text(const json_t *value, struct str text)
{
    return json_is_string(value) &&
           str_eq((struct str){json_string_value(value), json_string_length(value)}, text);
}

static bool has_label(const struct schedule_filter *filter, struct str labels)
{
    json_auto_t *json = labels.len > 0 ? json_of_kept(labels) : NULL;
    const json_t *value = json_object_getn(json, filter->label.ptr, filter->label.len);

    return value && (!filter->has_value || equals_text(value, filter->value));
}

/* A workflow without a queue waits in the queue that has the workflow's name. */
static bool has_queue(const json_t *action, struct str queue)
{
    const json_t *named = json_object_get(action, "queue");

    if (json_is_string(named))
        return equals_text(named, queue);
    return equals_text(json_object_get(action, "type"), STR("workflow")) &&
           equals_text(json_object_get(action, "name"), queue);
}

static bool matches_action(const struct schedule_filter *filter, struct str action)
{
    json_auto_t *json = json_of_kept(action);

    if (filter->action.len > 0 && !equals_text(json_object_get(json, "type"), filter->action))
        return false;
    return filter->queue.len == 0 || has_queue(json, filter->queue);
}

bool schedule_filter_fits(const struct schedule_filter *f, const struct schedule_view *view)
{
    const struct schedule_row *row = &view->row;

    if (!str_starts(row->name, f->prefix))
        return false;
    if (f->status.len > 0 && !str_eq(str_of(schedule_status(&view->cursor)), f->status))
        return false;
    if (f->search.len > 0 && !str_contains_nocase(row->name, f->search) &&
        !str_contains_nocase(row->description, f->search))
        return false;
    if (f->label.len > 0 && !has_label(f, row->labels))
        return false;
    return (f->action.len == 0 && f->queue.len == 0) || matches_action(f, row->action);
}
