/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables by run and by workflow id, a heap of deadlines, and for each upstream four heaps
 * by due time: workflows to end, those that a list shows as ended, young ones and old ones.
 */
#include "server/dispatch/followers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "server/dispatch/followers_parts.h"

enum { BUCKETS_MIN = 64, HEAP_MIN = 16 };

/* ---- heaps ---- */

static int64_t key_of(const struct follow_heap *heap, const struct follower *record)
{
    return heap->is_deadline ? record->deadline_us : record->due_us;
}

static void put(struct follow_heap *heap, int32_t at, struct follower *record)
{
    heap->list[at] = record;
    if (heap->is_deadline)
        record->at_deadline = at;
    else
        record->at_due = at;
}

/* Moves the record at `at` towards the root, then towards the leaves. */
static void sift(struct follow_heap *heap, int32_t at)
{
    struct follower *record = heap->list[at];
    int64_t key = key_of(heap, record);

    for (; at > 0 && key < key_of(heap, heap->list[(at - 1) / 2]); at = (at - 1) / 2)
        put(heap, at, heap->list[(at - 1) / 2]);
    for (;;) {
        int32_t child = 2 * at + 1;

        if (child + 1 < heap->count &&
            key_of(heap, heap->list[child + 1]) < key_of(heap, heap->list[child]))
            child++;
        if (child >= heap->count || key_of(heap, heap->list[child]) >= key)
            break;
        put(heap, at, heap->list[child]);
        at = child;
    }
    put(heap, at, record);
}

static void heap_add(struct follow_heap *heap, struct follower *record)
{
    if (heap->count == heap->room) {
        heap->room = heap->room == 0 ? HEAP_MIN : heap->room * 2;
        heap->list = realloc(heap->list, (size_t)heap->room * sizeof *heap->list);
        must(heap->list);
    }
    put(heap, heap->count++, record);
    sift(heap, heap->count - 1);
}

static void heap_remove(struct follow_heap *heap, int32_t at)
{
    must(at >= 0 && at < heap->count);
    heap->count--;
    if (at < heap->count) {
        put(heap, at, heap->list[heap->count]);
        sift(heap, at);
    }
}

static struct follower *heap_first(const struct follow_heap *heap)
{
    return heap->count > 0 ? heap->list[0] : NULL;
}

/* ---- upstreams ---- */

static struct follow_target *target_of(struct followers *all, int64_t namespace,
                                       struct str name)
{
    struct follow_target *target = all->targets;

    while (target && !(target->namespace == namespace &&
                       str_eq((struct str){target->name, target->name_len}, name)))
        target = target->next;
    if (target)
        return target;
    target = calloc(1, sizeof *target + name.len);
    must(target);
    target->namespace = namespace;
    target->name_len = name.len;
    if (name.len > 0)
        memcpy(target->name, name.ptr, name.len);
    target->next = all->targets;
    all->targets = target;
    return target;
}

static bool is_idle(const struct follow_target *target)
{
    for (int i = 0; i < QUEUES; i++)
        if (target->queues[i].count > 0)
            return false;
    for (int i = 0; i < FOLLOW_REASONS; i++)
        if (target->calls[i] > 0)
            return false;
    return true;
}

static void free_target(struct follow_target *target)
{
    follow_groups_free(target);
    for (int i = 0; i < QUEUES; i++)
        free(target->queues[i].list);
    free(target);
}

static void drop_idle(struct followers *all)
{
    struct follow_target **link = &all->targets;

    while (*link) {
        struct follow_target *target = *link;

        if (!is_idle(target)) {
            link = &target->next;
            continue;
        }
        *link = target->next;
        free_target(target);
    }
}

/* ---- the table ---- */

struct follower **followers_named(const struct followers *all, struct str workflow)
{
    return &all->named[hash_u64(hash_bytes(workflow.ptr, workflow.len, 0)) % all->bucket_count];
}

static struct follower **bucket_of(const struct followers *all, const struct run_id *run,
                                   int64_t fence)
{
    struct digest digest = {0};

    digest_int(&digest, run->schedule);
    digest_int(&digest, run->slot_ms);
    digest_int(&digest, run->pass);
    digest_int(&digest, fence);
    return &all->buckets[digest.sum % all->bucket_count];
}

static void add_to_buckets(struct followers *all, struct follower *record)
{
    struct follower **at = bucket_of(all, &record->run, record->fence);

    record->next = *at;
    *at = record;
    at = followers_named(all, follower_text(record, FOLLOWER_WORKFLOW));
    record->next_named = *at;
    *at = record;
}

static void set_buckets(struct followers *all, size_t count)
{
    struct follower **old = all->buckets;
    size_t old_count = all->bucket_count;

    free(all->named);
    all->buckets = calloc(count, sizeof *all->buckets);
    all->named = calloc(count, sizeof *all->named);
    must(all->buckets && all->named);
    all->bucket_count = count;
    for (size_t i = 0; i < old_count; i++)
        for (struct follower *record = old[i], *next; record; record = next) {
            next = record->next;
            add_to_buckets(all, record);
        }
    free(old);
}

struct followers *followers_new(void)
{
    struct followers *all = calloc(1, sizeof *all);

    must(all);
    all->deadlines.is_deadline = true;
    set_buckets(all, BUCKETS_MIN);
    return all;
}

static void free_record(void *arg, struct follower *record)
{
    followers_remove(arg, record);
    follower_free(record);
}

void followers_free(struct followers *all)
{
    followers_each(all, free_record, all);
    while (all->targets) {
        struct follow_target *target = all->targets;

        all->targets = target->next;
        free_target(target);
    }
    free(all->deadlines.list);
    free(all->buckets);
    free(all->named);
    free(all);
}

/* An old one is looked at seldom if a list covers it. */
static bool is_covered(const struct follower *record)
{
    return record->due_us < record->target->listed_until_us &&
           record->bad_hints < BAD_HINTS_MAX;
}

static struct follow_heap *queue_of(const struct follower *record)
{
    int which = record->wants_end && !record->end_requested ? QUEUE_END
                : record->has_hint                          ? QUEUE_HINT
                : is_covered(record) && !record->is_new     ? QUEUE_OLD
                : record->is_young || record->bad_hints > 0 ? QUEUE_YOUNG
                                                            : QUEUE_OLD;

    return &record->target->queues[which];
}

static void add_to_heaps(struct followers *all, struct follower *record)
{
    heap_add(queue_of(record), record);
    record->at_deadline = -1;
    if (record->deadline_us != INT64_MAX)
        heap_add(&all->deadlines, record);
}

static void remove_from_heaps(struct followers *all, struct follower *record)
{
    for (int i = 0; i < QUEUES; i++) {
        struct follow_heap *heap = &record->target->queues[i];

        if (record->at_due < heap->count && heap->list[record->at_due] == record) {
            heap_remove(heap, record->at_due);
            break;
        }
    }
    if (record->at_deadline >= 0)
        heap_remove(&all->deadlines, record->at_deadline);
    record->at_due = record->at_deadline = -1;
}

/* The texts that many records share are those of their upstream and group. */
static bool is_shared(int which)
{
    return which == FOLLOWER_UPSTREAM || which == FOLLOWER_LIST;
}

struct str follower_text(const struct follower *record, enum follower_text which)
{
    uint16_t begin = which == 0 ? 0 : record->ends[which - 1];

    if (which == FOLLOWER_UPSTREAM)
        return (struct str){record->target->name, record->target->name_len};
    if (which == FOLLOWER_LIST)
        return (struct str){record->group->name, record->group->name_len};
    return (struct str){record->text + begin, (size_t)(record->ends[which] - begin)};
}

static struct follower *copy_record(const struct follower *record,
                                    const struct str texts[static FOLLOWER_TEXTS])
{
    struct follower *copy;
    size_t size = 0;

    for (int i = 0; i < FOLLOWER_TEXTS; i++)
        size += is_shared(i) ? 0 : texts[i].len;
    must(size <= FOLLOW_TEXTS_MAX);
    copy = malloc(sizeof *copy + size);
    must(copy);
    *copy = *record;
    size = 0;
    for (int i = 0; i < FOLLOWER_TEXTS; i++) {
        if (!is_shared(i) && texts[i].len > 0) {
            memcpy(copy->text + size, texts[i].ptr, texts[i].len);
            size += texts[i].len;
        }
        copy->ends[i] = (uint16_t)size;
    }
    return copy;
}

struct follower *followers_add(struct followers *all, const struct follower *record,
                               const struct str texts[static FOLLOWER_TEXTS])
{
    struct follower *copy = copy_record(record, texts);

    must(!followers_find(all, &record->run, record->fence));
    copy->target = target_of(all, copy->namespace, texts[FOLLOWER_UPSTREAM]);
    copy->group = follow_group_of(copy->target, texts[FOLLOWER_LIST]);
    copy->mark = copy->group->reading;
    if ((size_t)all->count >= all->bucket_count)
        set_buckets(all, all->bucket_count * 2);
    add_to_buckets(all, copy);
    all->count++;
    follow_group_count(copy->group, 1);
    add_to_heaps(all, copy);
    return copy;
}

struct follower *followers_find(const struct followers *all, const struct run_id *run,
                                int64_t fence)
{
    struct follower *record = *bucket_of(all, run, fence);

    while (record &&
           !(record->run.schedule == run->schedule && record->run.slot_ms == run->slot_ms &&
             record->run.pass == run->pass && record->fence == fence))
        record = record->next;
    return record;
}

void followers_moved(struct followers *all, struct follower *record)
{
    remove_from_heaps(all, record);
    add_to_heaps(all, record);
}

void followers_remove(struct followers *all, struct follower *record)
{
    struct follower **at = bucket_of(all, &record->run, record->fence);

    while (*at && *at != record)
        at = &(*at)->next;
    must(*at == record);
    *at = record->next;
    at = followers_named(all, follower_text(record, FOLLOWER_WORKFLOW));
    while (*at && *at != record)
        at = &(*at)->next_named;
    must(*at == record);
    *at = record->next_named;
    all->count--;
    follow_group_count(record->group, -1);
    remove_from_heaps(all, record);
}

void follower_free(struct follower *record)
{
    free(record);
}

int followers_count(const struct followers *all)
{
    return all->count;
}

void followers_each(struct followers *all, void (*visit)(void *arg, struct follower *record),
                    void *arg)
{
    for (size_t i = 0; i < all->bucket_count; i++)
        for (struct follower *record = all->buckets[i], *next; record; record = next) {
            next = record->next;
            visit(arg, record);
        }
}

struct follower *followers_late(const struct followers *all, int64_t now_us)
{
    struct follower *first = heap_first(&all->deadlines);

    return first && first->deadline_us <= now_us ? first : NULL;
}

/* ---- the next request ---- */

static struct follower *due_of(const struct follow_heap *heap, int64_t now_us)
{
    struct follower *first = heap_first(heap);

    return first && first->due_us <= now_us ? first : NULL;
}

bool follow_target_pace(struct follow_target *target, int64_t now_us)
{
    span pace = SPAN_S / target->rate;

    if (target->paced_us > now_us)
        return false;
    if (target->paced_us < now_us - FOLLOW_BURST * pace)
        target->paced_us = now_us - FOLLOW_BURST * pace;
    target->paced_us += pace;
    return true;
}

/*
 * Young and old ones take turns: neither can delay the other by more than a factor of two.  If
 * lists show the ends, the old ones are looked at only in case a list is wrong.
 */
static struct follower *next_look(struct follow_target *target, int64_t now_us)
{
    struct follower *hint = due_of(&target->queues[QUEUE_HINT], now_us);
    struct follower *young = due_of(&target->queues[QUEUE_YOUNG], now_us);
    struct follower *old = due_of(&target->queues[QUEUE_OLD], now_us);
    bool has_lists = follow_target_has_lists(target, now_us);

    if (has_lists && target->old_us > now_us)
        old = NULL;
    if ((!hint && !young && !old) || target->calls[FOLLOW_LOOK] >= FOLLOW_CALLS_MAX ||
        !follow_target_pace(target, now_us))
        return NULL;
    if (hint)
        return hint;
    target->was_young = young && !(old && target->was_young);
    if (!target->was_young && has_lists)
        target->old_us = now_us + LISTS_SHARE * SPAN_S / target->rate;
    return target->was_young ? young : old;
}

/* Young ones wait in the upstream first: they may end soon. */
static struct follower *next_wait(struct follow_target *target, int64_t now_us)
{
    struct follower *young = due_of(&target->queues[QUEUE_YOUNG], now_us);

    if (target->calls[FOLLOW_WAIT] >= target->waits)
        return NULL;
    return young ? young : due_of(&target->queues[QUEUE_OLD], now_us);
}

static struct follower *next_of_target(struct follow_target *target, int64_t now_us,
                                       enum follow_reason *ret)
{
    struct follower *record = target->calls[FOLLOW_END] < FOLLOW_CALLS_MAX
                                  ? due_of(&target->queues[QUEUE_END], now_us)
                                  : NULL;

    *ret = FOLLOW_END;
    if (record)
        return record;
    *ret = FOLLOW_WAIT;
    record = next_wait(target, now_us);
    if (record)
        return record;
    *ret = FOLLOW_LOOK;
    return next_look(target, now_us);
}

struct follower *followers_next(struct followers *all, int64_t now_us, follow_limits_of *limits,
                                void *arg, enum follow_reason *ret_reason)
{
    for (struct follow_target *target = all->targets; target; target = target->next) {
        struct follow_limits now = limits(arg, target->namespace,
                                          (struct str){target->name, target->name_len});
        struct follower *record;

        must(now.rate > 0 && now.waits >= 0);
        target->rate = now.rate;
        target->waits = now.waits;
        record = next_of_target(target, now_us, ret_reason);
        if (!record)
            continue;
        target->calls[*ret_reason]++;
        followers_remove(all, record);
        return record;
    }
    drop_idle(all);
    return NULL;
}

void followers_done(struct follow_target *target, enum follow_reason reason)
{
    must(target->calls[reason] > 0);
    target->calls[reason]--;
}

bool followers_has_due(const struct follow_target *target, int64_t now_us)
{
    return due_of(&target->queues[QUEUE_YOUNG], now_us) ||
           due_of(&target->queues[QUEUE_OLD], now_us);
}

static int64_t due_us_of(const struct follow_heap *heap)
{
    const struct follower *first = heap_first(heap);

    return first ? first->due_us : INT64_MAX;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the upstream may get the next request. */
static int64_t wake_us_of(const struct follow_target *target, int64_t now_us)
{
    int64_t young = due_us_of(&target->queues[QUEUE_YOUNG]);
    int64_t old = due_us_of(&target->queues[QUEUE_OLD]);
    int64_t look = lesser(young, due_us_of(&target->queues[QUEUE_HINT]));
    int64_t wake = INT64_MAX, list = follow_lists_wake_us(target);

    if (target->calls[FOLLOW_END] < FOLLOW_CALLS_MAX)
        wake = due_us_of(&target->queues[QUEUE_END]);
    if (target->calls[FOLLOW_WAIT] < target->waits)
        wake = lesser(wake, lesser(young, old));
    if (follow_target_has_lists(target, now_us) && old < target->old_us)
        old = target->old_us;
    look = lesser(look, old);
    if (target->calls[FOLLOW_LOOK] >= FOLLOW_CALLS_MAX)
        look = INT64_MAX;
    look = lesser(look, list);
    return lesser(wake, look < target->paced_us ? target->paced_us : look);
}

int64_t followers_wake_us(const struct followers *all, int64_t now_us)
{
    const struct follower *late = heap_first(&all->deadlines);
    int64_t wake = late ? late->deadline_us : INT64_MAX;

    for (const struct follow_target *target = all->targets; target; target = target->next)
        wake = lesser(wake, wake_us_of(target, now_us));
    return wake > now_us ? wake : now_us;
}
