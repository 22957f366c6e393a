/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by followers.c and followers_lists.c.  Other files do not include it.
 */
#pragma once

#include <stddef.h>

#include "server/dispatch/followers_lists.h"

enum { QUEUE_END, QUEUE_HINT, QUEUE_YOUNG, QUEUE_OLD, QUEUES };

struct follow_heap {
    struct follower **list;
    int32_t count, room;
    bool is_deadline; /* sorted by deadline_us instead of due_us */
};

struct follow_group {
    struct follow_target *target;
    struct follow_group *next;
    int count;        /* records                                               */
    uint32_t reading; /* number of the last one that was begun                 */
    bool is_reading;
    int64_t due_us;  /* of the next reading                                   */
    int64_t read_us; /* when the last complete one ended; INT64_MIN: never    */
    span pause;      /* after the last failure; 0: it did not fail            */
    int64_t since;   /* for the caller                                        */
    size_t name_len;
    char name[];
};

struct follow_target {
    int64_t namespace;
    struct follow_heap queues[QUEUES];
    struct follow_group *groups;
    int count;                 /* records                                     */
    int calls[FOLLOW_REASONS]; /* in progress                                 */
    int32_t rate, waits;       /* as last read; rate 0: not yet               */
    int64_t paced_us;          /* no FOLLOW_LOOK or FOLLOW_LIST begins before */
    int64_t old_us;            /* with lists: no look at an old one before    */
    int64_t lists_us;          /* of the first reading that is due            */
    int64_t listed_until_us;   /* the lists of all groups are known until     */
    bool was_young;            /* the last FOLLOW_LOOK was of a young one     */
    struct follow_target *next;
    size_t name_len;
    char name[];
};

struct followers {
    struct follower **buckets, **named; /* as many */
    size_t bucket_count;
    int count;
    struct follow_heap deadlines;
    struct follow_target *targets;
};

/* Whether the upstream may get a request now, and if so, counts it. */
bool follow_target_pace(struct follow_target *target, int64_t now_us);

/* Finds the group of a list, or adds one. */
struct follow_group *follow_group_of(struct follow_target *target, struct str name);
void follow_groups_free(struct follow_target *target);

/* When the next list may be read; INT64_MAX: after a change. */
int64_t follow_lists_wake_us(const struct follow_target *target);

/* Counts a record more or less. */
void follow_group_count(struct follow_group *group, int change);

/* The records with this workflow id and others of the same hash, by next_named. */
struct follower **followers_named(const struct followers *all, struct str workflow);
