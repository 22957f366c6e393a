/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the filter of an event request and applies it to events.
 */
#include "api/events/event_filter.h"

enum { TYPES_END = 64 }; /* a type is a bit of a uint64_t */

/* The numbers of event types have gaps. */
static bool is_type(int type)
{
    return type > 0 && !str_eq(str_of(event_text((enum event_type)type)), STR("unknown"));
}

/* "run.ended", or "run.*" for all types with this prefix. */
static uint64_t parse_type(struct str word)
{
    bool is_group = word.len > 2 && word.ptr[word.len - 1] == '*' &&
                    word.ptr[word.len - 2] == '.';
    struct str head = {word.ptr, is_group ? word.len - 1 : word.len};
    uint64_t types = 0;

    for (int type = 0; type < TYPES_END; type++) {
        struct str text = str_of(event_text((enum event_type)type));

        if (is_type(type) && (is_group ? str_starts(text, head) : str_eq(text, word)))
            types |= UINT64_C(1) << type;
    }
    return types;
}

static enum rc unknown_type(struct str word, struct err *reterr)
{
    const char *names[TYPES_END];
    int count = 0, near;

    for (int type = 0; type < TYPES_END; type++)
        if (is_type(type))
            names[count++] = event_text((enum event_type)type);
    near = str_nearest(word, names, count);
    return near >= 0 ? err_set(reterr, RC_INVALID, 0, (int)word.len,
                               "unknown event type \"%.*s\"; did you mean %s?", STR_ARG(word),
                               names[near])
                     : err_set(reterr, RC_INVALID, 0, (int)word.len,
                               "unknown event type \"%.*s\"; use a type such as run.ended, or "
                               "run.* for all types that start with run.",
                               STR_ARG(word));
}

static enum rc read_types(struct str text, uint64_t *ret, struct err *reterr)
{
    struct str rest = text, word;

    for (bool has_more = text.len > 0; has_more;) {
        uint64_t types;

        has_more = str_cut(rest, ',', &word, &rest);
        if (!has_more)
            word = rest;
        types = parse_type(word);
        if (types == 0)
            return unknown_type(word, reterr);
        *ret |= types;
    }
    return RC_OK;
}

static enum rc read_everything(struct str text, bool *ret, struct err *reterr)
{
    *ret = str_eq(text, STR("true"));
    if (text.len == 0 || *ret || str_eq(text, STR("false")))
        return RC_OK;
    return err_set(reterr, RC_INVALID, 0, (int)text.len, "must be true or false");
}

static enum rc read_run(struct str text, struct event_filter *filter, struct err *reterr)
{
    filter->has_run = text.len > 0;
    return filter->has_run ? run_id_parse(text, &filter->run, reterr) : RC_OK;
}

enum rc event_filter_read(const struct call *call, struct event_filter *ret, struct err *reterr)
{
    struct event_filter filter = {.schedule = request_query(call, "schedule")};
    const char *parameter = "type";
    enum rc rc = read_types(request_query(call, "type"), &filter.types, reterr);

    if (rc == RC_OK) {
        parameter = "run";
        rc = read_run(request_query(call, "run"), &filter, reterr);
    }
    if (rc == RC_OK) {
        parameter = "everything";
        rc = read_everything(request_query(call, "everything"), &filter.is_everything, reterr);
    }
    if (rc != RC_OK)
        return err_in(reterr, "%s", parameter);
    *ret = filter;
    return RC_OK;
}

bool event_has_run(const struct event *event)
{
    switch ((enum event_type)event->type) {
    case EVENT_RUN_READY:
    case EVENT_RUN_CLAIMED:
    case EVENT_RUN_STARTED:
    case EVENT_RUN_RETRYING:
    case EVENT_RUN_ENDED:
    case EVENT_RUN_CANCELLED:
    case EVENT_RUN_LATE:
    case EVENT_LEASE_EXPIRED:
    case EVENT_LEASE_STALE:
        return true;
    case EVENT_RUN_UNPLANNED:
    case EVENT_SLOT_SKIPPED:
    case EVENT_SLOT_MISSED:
    case EVENT_SLOT_DROPPED:
    case EVENT_SLOT_CANCELLED:
        return event->count == 1;
    default:
        return false;
    }
}

static bool is_run(const struct run_id *a, int64_t schedule, int64_t slot_ms, int64_t pass)
{
    return a->schedule == schedule && a->slot_ms == slot_ms && a->pass == pass;
}

static bool has_type(const struct event_filter *filter, int64_t type)
{
    return filter->types == 0 ||
           (type > 0 && type < TYPES_END && (filter->types >> type & 1) != 0);
}

static bool has_own_type(const struct event_filter *filter, int type)
{
    return type != 0 && (filter->own_types == 0 || (filter->own_types >> type & 1) != 0);
}

static bool is_of_agent(const struct event_filter *filter, const struct event_note *note)
{
    return (filter->agent.len == 0 || str_eq(filter->agent, note->agent)) &&
           (filter->project.len == 0 || str_eq(filter->project, note->project));
}

bool event_filter_may_want(const struct event_filter *filter, const struct event *event)
{
    if (event->type == EVENT_DAMAGED)
        return !filter->terms;
    return has_type(filter, event->type) &&
           (!filter->terms || has_own_type(filter, filter->terms->type(event, false))) &&
           (!filter->has_run ||
            (event_has_run(event) &&
             is_run(&filter->run, event->schedule, event->slot / SPAN_MS, event->pass)));
}

bool event_filter_wants(const struct event_filter *filter, const struct event_note *note)
{
    if (note->type == EVENT_DAMAGED)
        return !filter->terms; /* the filter may want one of the events that it replaces */
    return has_type(filter, note->type) &&
           (!filter->terms || has_own_type(filter, note->own_type)) &&
           is_of_agent(filter, note) &&
           (filter->is_everything ||
            (note->namespace != 0 && note->namespace == filter->namespace)) &&
           (filter->schedule.len == 0 || str_eq(filter->schedule, note->schedule)) &&
           (!filter->has_run || (note->has_run && is_run(&filter->run, note->run.schedule,
                                                         note->run.slot_ms, note->run.pass)));
}

struct str event_note_name(const struct event_filter *filter, const struct event_note *note)
{
    return str_of(filter->terms ? filter->terms->type_text(note->own_type)
                                : event_text(note->type));
}

struct str event_note_json(const struct event_filter *filter, const struct event_note *note)
{
    return filter->terms ? note->own_json : note->json;
}
