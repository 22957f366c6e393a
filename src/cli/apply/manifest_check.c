/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks an entry before any request: its id, and all of a calendar or gate.  The server checks
 * schedules; it has no request that only checks calendars and gates.
 */
#include <inttypes.h>

#include "cli/apply/manifest_parts.h"
#include "core/policy/policies.h"
#include "model/json_time.h"

enum {
    ID_MAX = 977,               /* bytes of a schedule's name: the server's limit */
    CALENDAR_DATES_MAX = 10000, /* of one calendar: the server's limit            */
};

/* The member that holds the entry's name; *ret is its kind. */
static const char *id_member(const json_t *value, enum manifest_kind *ret)
{
    *ret = MANIFEST_SCHEDULE;
    if (json_object_get(value, "calendar"))
        *ret = MANIFEST_CALENDAR;
    else if (json_object_get(value, "gate"))
        *ret = MANIFEST_GATE;
    return *ret == MANIFEST_SCHEDULE ? "id" : manifest_kind_text(*ret);
}

static bool check_id(struct manifest *m, const json_t *value, struct manifest_entry *entry)
{
    const char *name = id_member(value, &entry->kind);
    struct err err;
    enum rc rc = json_require(value, name, &err);

    if (rc == RC_OK)
        rc = json_take_str(json_object_get(value, name), ID_MAX, &entry->id, &err);
    if (rc == RC_OK && entry->id.len == 0)
        rc = err_set(&err, RC_INVALID, -1, 0, "must not be empty");
    if (rc == RC_OK)
        return true;
    if (err.field[0] == '\0')
        err_in(&err, "%s", name);
    manifest_error(m, entry, err.field, err.text);
    return false;
}

static void check_names(struct manifest *m, const json_t *value, struct manifest_entry *entry,
                        const char *member)
{
    const char *const names[] = {manifest_kind_text(entry->kind), member};
    json_auto_t *copy = json_copy((json_t *)(uintptr_t)value);
    size_t size = json_object_size(copy);
    struct err err;

    for (size_t i = 0; i < size && json_check_names(copy, names, 2, &err) != RC_OK; i++) {
        manifest_error(m, entry, err.field, err.text);
        if (json_object_del(copy, err.field) != 0)
            return; /* the error does not contain the key as it is, for example a long one */
    }
}

static void check_dates(struct manifest *m, const json_t *dates, struct manifest_entry *entry)
{
    struct err err;
    int count;

    if (json_take_count(dates, CALENDAR_DATES_MAX, &count, &err) != RC_OK) {
        manifest_error(m, entry, "dates", err.text);
        return;
    }
    for (int i = 0; i < count; i++) {
        int32_t day;

        if (json_take_date(json_array_get(dates, (size_t)i), &day, &err) == RC_OK)
            continue;
        err_in(&err, "dates[%d]", i);
        manifest_error(m, entry, err.field, err.text);
    }
}

static void check_limit(struct manifest *m, const json_t *limit, struct manifest_entry *entry)
{
    int64_t n = json_integer_value(limit);
    struct err err;

    if (json_is_integer(limit) && n >= 1 && n <= GATE_LIMIT_MAX)
        return;
    if (json_is_integer(limit))
        err_set(&err, RC_INVALID, -1, 0, "must be between 1 and %d, not %" PRId64,
                GATE_LIMIT_MAX, n);
    else
        (void)json_wrong_type(limit, "a whole number", &err);
    manifest_error(m, entry, "limit", err.text);
}

static const struct {
    const char *member;
    void (*check)(struct manifest *m, const json_t *value, struct manifest_entry *entry);
} simple_kinds[MANIFEST_KINDS] = {
    [MANIFEST_CALENDAR] = {"dates", check_dates},
    [MANIFEST_GATE] = {"limit", check_limit},
};

bool manifest_check(struct manifest *m, const json_t *value, struct manifest_entry *entry)
{
    int before = m->errors;
    const char *member;
    struct err err;

    if (!json_is_object(value)) {
        manifest_error(m, entry, "",
                       "must be a schedule, or {\"calendar\": NAME, \"dates\": […]}, or "
                       "{\"gate\": NAME, \"limit\": N}");
        return false;
    }
    entry->has_wrong_id = !check_id(m, value, entry);
    member = simple_kinds[entry->kind].member;
    if (!member)
        return true;
    check_names(m, value, entry, member);
    if (json_require(value, member, &err) != RC_OK)
        manifest_error(m, entry, err.field, err.text);
    else
        simple_kinds[entry->kind].check(m, json_object_get(value, member), entry);
    return m->errors == before;
}
