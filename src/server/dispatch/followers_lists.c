/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When which list is read, and what it says about the records: see followers_lists.h.
 */
#include "server/dispatch/followers_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "server/dispatch/followers_parts.h"

/* ---- groups ---- */

static struct str name_of(const struct follow_group *group)
{
    return (struct str){group->name, group->name_len};
}

struct follow_group *follow_group_of(struct follow_target *target, struct str name)
{
    struct follow_group *group = target->groups;

    while (group && !str_eq(name_of(group), name))
        group = group->next;
    if (group)
        return group;
    group = calloc(1, sizeof *group + name.len);
    must(group);
    group->target = target;
    group->read_us = INT64_MIN;
    group->name_len = name.len;
    if (name.len > 0)
        memcpy(group->name, name.ptr, name.len);
    group->next = target->groups;
    target->groups = group;
    return group;
}

void follow_groups_free(struct follow_target *target)
{
    while (target->groups) {
        struct follow_group *group = target->groups;

        target->groups = group->next;
        free(group);
    }
}

void follow_group_count(struct follow_group *group, int change)
{
    struct follow_target *target = group->target;

    group->count += change;
    target->count += change;
    must(group->count >= 0 && target->count >= group->count);
    if (change > 0 && !group->is_reading && group->due_us < target->lists_us)
        target->lists_us = group->due_us;
}

/* Forgets groups without records, and finds the next reading and what is known. */
static void review_groups(struct follow_target *target)
{
    struct follow_group **link = &target->groups;

    target->lists_us = target->listed_until_us = INT64_MAX;
    while (*link) {
        struct follow_group *group = *link;

        if (group->count == 0 && !group->is_reading) {
            *link = group->next;
            free(group);
            continue;
        }
        link = &group->next;
        if (!group->is_reading && group->due_us < target->lists_us)
            target->lists_us = group->due_us;
        if (group->read_us == INT64_MIN)
            target->listed_until_us = INT64_MIN;
        else if (group->read_us + LISTS_VALID < target->listed_until_us)
            target->listed_until_us = group->read_us + LISTS_VALID;
    }
}

/* ---- readings ---- */

static bool is_crowded(const struct follow_target *target)
{
    return target->rate > 0 && target->count > target->rate * (LISTS_FROM / SPAN_S);
}

bool follow_target_has_lists(const struct follow_target *target, int64_t now_us)
{
    return is_crowded(target) && now_us < target->listed_until_us;
}

int64_t follow_lists_wake_us(const struct follow_target *target)
{
    return is_crowded(target) && target->calls[FOLLOW_LIST] < LISTS_AT_ONCE ? target->lists_us
                                                                            : INT64_MAX;
}

/* The group whose reading has been due for the longest time. */
static struct follow_group *group_due(const struct follow_target *target, int64_t now_us)
{
    struct follow_group *found = NULL;

    for (struct follow_group *group = target->groups; group; group = group->next)
        if (!group->is_reading && group->count > 0 && group->due_us <= now_us &&
            (!found || group->due_us < found->due_us))
            found = group;
    return found;
}

static bool begin_list(struct follow_target *target, int64_t now_us, struct follow_list *ret)
{
    struct follow_group *group;

    if (follow_lists_wake_us(target) > now_us)
        return false;
    review_groups(target);
    group = group_due(target, now_us);
    if (!group || !follow_target_pace(target, now_us))
        return false;
    group->is_reading = true;
    group->reading++;
    group->due_us = now_us + LISTS_PAUSE;
    target->calls[FOLLOW_LIST]++;
    review_groups(target);
    *ret = (struct follow_list){.group = group,
                                .namespace = target->namespace,
                                .upstream = {target->name, target->name_len},
                                .name = name_of(group),
                                .since = group->since};
    return true;
}

bool followers_begin_list(struct followers *all, int64_t now_us, follow_limits_of *limits,
                          void *arg, struct follow_list *ret)
{
    for (struct follow_target *target = all->targets; target; target = target->next) {
        struct follow_limits now = limits(arg, target->namespace,
                                          (struct str){target->name, target->name_len});

        must(now.rate > 0 && now.waits >= 0);
        target->rate = now.rate;
        target->waits = now.waits;
        if (begin_list(target, now_us, ret))
            return true;
    }
    return false;
}

void followers_continue_list(const struct follow_list *list)
{
    struct follow_target *target = list->group->target;

    target->paced_us += SPAN_S / target->rate;
}

void followers_end_list(struct followers *all, const struct follow_list *list, bool is_complete,
                        int64_t since, int64_t now_us)
{
    struct follow_group *group = list->group;
    struct follow_target *target = group->target;

    (void)all;
    must(group->is_reading);
    group->is_reading = false;
    if (is_complete) {
        group->read_us = now_us;
        group->since = since;
        group->pause = 0;
    } else {
        group->pause = group->pause == 0 ? LISTS_PAUSE : 2 * group->pause;
        group->pause = group->pause > LISTS_PAUSE_MAX ? LISTS_PAUSE_MAX : group->pause;
        group->due_us = now_us + group->pause;
    }
    followers_done(target, FOLLOW_LIST);
    review_groups(target);
}

/* ---- what the lists show ---- */

static void hint(struct followers *all, struct follower *record, int64_t now_us)
{
    if (record->has_hint || record->bad_hints >= BAD_HINTS_MAX)
        return;
    record->has_hint = true;
    record->due_us = now_us;
    followers_moved(all, record);
}

static bool is_named(const struct follower *record, const struct follow_list *list,
                     struct str workflow)
{
    return record->group == list->group &&
           str_eq(follower_text(record, FOLLOWER_WORKFLOW), workflow);
}

void followers_see_running(struct followers *all, const struct follow_list *list,
                           struct str workflow)
{
    struct follower *record = *followers_named(all, workflow);

    for (; record; record = record->next_named)
        if (is_named(record, list, workflow)) {
            record->mark = list->group->reading;
            record->bad_hints = 0;
        }
}

/* The run of the workflow that is followed now. */
static struct str current_run(const struct follower *record)
{
    struct str run = follower_text(record, FOLLOWER_CURRENT);

    return run.len > 0 ? run : follower_text(record, FOLLOWER_RUN_ID);
}

void followers_see_ended(struct followers *all, const struct follow_list *list,
                         struct str workflow, struct str run, int64_t now_us)
{
    struct follower *record = *followers_named(all, workflow);

    for (; record; record = record->next_named)
        if (is_named(record, list, workflow) &&
            (run.len == 0 || str_eq(current_run(record), run)))
            hint(all, record, now_us);
}

void followers_see_no_more(struct followers *all, const struct follow_list *list,
                           int64_t now_us)
{
    for (size_t i = 0; i < all->bucket_count; i++)
        for (struct follower *record = all->buckets[i]; record; record = record->next)
            if (record->group == list->group && record->mark != list->group->reading)
                hint(all, record, now_us);
}
