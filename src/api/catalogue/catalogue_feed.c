/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads batches of schedules, cursors and events.
 */
#include "api/catalogue/catalogue_feed.h"

#include <stdlib.h>

#include "api/catalogue/catalogue_read.h"
#include "base/must.h"
#include "core/event.h"
#include "store/cursors.h"
#include "store/event_pages.h"
#include "store/events_requests.h"

enum {
    STATEMENTS = FEED_ROWS / CATALOGUE_KEYS_MAX,
    BATCH_BYTES_MAX = 256 << 20, /* of arena: rows of the maximum size, and their JSON */
};

void catalogue_feed_open(struct catalogue_feed *feed, const struct catalogue *catalogue)
{
    *feed = (struct catalogue_feed){
        .catalogue = catalogue,
        .arena = arena_new(BATCH_BYTES_MAX),
        .changed = map_new(FEED_ROWS),
        .size = read_size_of(FEED_ROWS),
    };
}

void catalogue_feed_close(struct catalogue_feed *feed)
{
    feed->arena = arena_free(feed->arena);
    feed->changed = map_free(feed->changed);
    free(feed->keys);
    feed->keys = NULL;
}

static void begin_batch(struct catalogue_feed *feed, struct catalogue_batch *batch)
{
    arena_reset(feed->arena);
    *batch = (struct catalogue_batch){
        .entries = arena_array(feed->arena, FEED_ROWS, sizeof *batch->entries),
        .removed = arena_array(feed->arena, FEED_ROWS, sizeof *batch->removed),
    };
}

static void add_entry(struct catalogue_batch *batch, const struct catalogue_entry *entry)
{
    must(batch->count < FEED_ROWS);
    batch->entries[batch->count++] = *entry;
}

void catalogue_feed_note(struct catalogue_feed *feed, int64_t key)
{
    int32_t place = map_find(feed->changed, key);

    if (place != MAP_NONE && place >= feed->keys_read)
        return; /* it will be read */
    if (feed->key_count == feed->key_room) {
        feed->key_room = feed->key_room == 0 ? FEED_ROWS : 2 * feed->key_room;
        feed->keys = realloc(feed->keys, (size_t)feed->key_room * sizeof *feed->keys);
        must(feed->keys);
    }
    map_put(feed->changed, key, feed->key_count);
    feed->keys[feed->key_count++] = key;
}

/* ---- the nodes and their events ---- */

static enum rc read_nodes(struct catalogue_feed *feed, struct db *db, struct db_result *ret,
                          struct err *reterr)
{
    event_nodes(db, ret);
    return db_flush(db, feed->arena, reterr);
}

static enum rc set_node(struct event_cursor *cursor, int64_t node, int64_t seq,
                        struct err *reterr)
{
    if (event_cursor_set(cursor, node, seq))
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0, "too many nodes have events; the limit is %d",
                   EVENT_CURSOR_NODES);
}

enum rc catalogue_feed_begin(struct catalogue_feed *feed, struct db *db, struct err *reterr)
{
    struct event_cursor position = {0};
    struct db_result rows = {0};
    enum rc rc;

    arena_reset(feed->arena);
    rc = read_nodes(feed, db, &rows, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct event_node node;

        event_nodes_read(&rows, i, &node);
        rc = set_node(&position, node.id, node.last, reterr);
    }
    if (rc != RC_OK)
        return rc;
    feed->position = position;
    feed->has_target = feed->is_loaded = feed->is_after_pass = false;
    feed->begins_pass = true;
    feed->load_after = 0;
    feed->key_count = feed->keys_read = 0;
    map_clear(feed->changed);
    return RC_OK;
}

/* A node that the position does not name is new: its events are read from the first one on. */
static enum rc find_target(struct catalogue_feed *feed, struct db *db, struct err *reterr)
{
    struct event_cursor target = {0};
    struct db_result rows = {0};
    enum rc rc = read_nodes(feed, db, &rows, reterr);

    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct event_node node;
        int64_t at;

        event_nodes_read(&rows, i, &node);
        at = event_cursor_get(&feed->position, node.id);
        if (at + 1 < node.oldest && at > 0)
            feed->is_loaded = false; /* events that were not read are deleted */
        if (at > node.last)
            feed->is_loaded = false; /* an older state of the database was restored */
        if (at == 0)
            at = node.oldest - 1;
        rc = set_node(&feed->position, node.id, at, reterr);
        if (rc == RC_OK)
            rc = set_node(&target, node.id, node.last, reterr);
    }
    if (rc != RC_OK)
        return rc;
    feed->target = target;
    feed->has_target = true;
    return RC_OK;
}

/*
 * Claims and starts of attempts change nothing that the catalogue has: a run counts from the
 * turn that creates it.
 */
static bool changes_schedule(const struct event *event)
{
    return event->schedule != 0 && event->type != EVENT_RUN_CLAIMED &&
           event->type != EVENT_RUN_STARTED && event->type != EVENT_LEASE_STALE;
}

/* What is damaged is found by checking all cursors. */
static void note_events(struct catalogue_feed *feed, struct str body)
{
    struct event event;
    struct err err;
    bool is_any = true;

    while (event_unpack(&body, &event, &is_any, &err) == RC_OK && is_any)
        if (changes_schedule(&event))
            catalogue_feed_note(feed, event.schedule);
}

static enum rc read_events(struct catalogue_feed *feed, struct db *db, int node,
                           struct err *reterr)
{
    int64_t id = feed->target.at[node].node, after = event_cursor_get(&feed->position, id);
    struct read_size size = read_size_of(FEED_EVENT_ROWS);
    struct db_result rows;
    enum rc rc;

    do {
        rows = (struct db_result){0};
        events_of(db, id, after + 1, size.rows, &rows);
        rc = db_flush(db, feed->arena, reterr);
    } while (read_size_is_cut(&size, db, rc));
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < rows.rows && feed->key_count < FEED_KEYS; i++) {
        note_events(feed, db_blob_at(&rows, i, 3));
        after = db_int_at(&rows, i, 0) + db_int_at(&rows, i, 1) - 1;
    }
    if (rows.rows == 0)
        after = feed->target.at[node].seq; /* deleted meanwhile; the next round notices it */
    return set_node(&feed->position, id, after, reterr);
}

/* Returns the first node whose events are not all read, or -1. */
static int find_unread(const struct catalogue_feed *feed)
{
    for (int i = 0; i < feed->target.count; i++)
        if (event_cursor_get(&feed->position, feed->target.at[i].node) < feed->target.at[i].seq)
            return i;
    return -1;
}

/* ---- schedules by key ---- */

static void forget_keys(struct catalogue_feed *feed)
{
    if (feed->keys_read < feed->key_count)
        return;
    feed->key_count = feed->keys_read = 0;
    map_clear(feed->changed);
}

/* Reads schedules with their texts; one that is not found is deleted. */
static enum rc read_texts(struct catalogue_feed *feed, struct db *db, const int64_t *keys,
                          int count, struct catalogue_batch *batch, struct err *reterr)
{
    struct read_size size = read_size_of(CATALOGUE_KEYS_MAX);
    enum rc rc = RC_OK;

    for (int done = 0; rc == RC_OK && done < count;) {
        int part = count - done < size.rows ? count - done : size.rows;
        int first = batch->count;
        struct db_result rows = {0};

        catalogue_rows_get(db, &keys[done], part, &rows);
        rc = db_flush(db, feed->arena, reterr);
        if (read_size_is_cut(&size, db, rc)) {
            rc = RC_OK;
            continue;
        }
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct catalogue_stored stored;
            struct catalogue_entry entry;

            catalogue_rows_read(&rows, i, &stored);
            entry = catalogue_read_stored(&stored, feed->arena);
            add_entry(batch, &entry);
        }
        for (int i = 0; rc == RC_OK && i < part; i++) {
            int at = first;

            while (at < batch->count && batch->entries[at].id != keys[done + i])
                at++;
            if (at == batch->count)
                batch->removed[batch->removed_count++] = keys[done + i];
        }
        done += part;
    }
    return rc;
}

/* True if only the cursor of the schedule can have changed. */
static bool has_texts(const struct catalogue_feed *feed, const struct cursor *cursor)
{
    const struct catalogue_row *row = catalogue_find(feed->catalogue, cursor->id);

    return row && row->version == cursor->version && !(cursor->flags & CURSOR_DELETED);
}

/* The cursors of the next keys; those without texts are listed in `ret`. */
static enum rc read_keys(struct catalogue_feed *feed, struct db *db, int count,
                         struct catalogue_batch *batch, struct err *reterr)
{
    const int64_t *keys = &feed->keys[feed->keys_read];
    struct db_result rows[STATEMENTS] = {0};
    int64_t *missing = arena_array(feed->arena, (size_t)count, sizeof *missing);
    struct map *found = feed->changed; /* its places below keys_read are not used */
    int missing_count = 0, statements = 0;
    enum rc rc;

    for (int done = 0; done < count; done += CATALOGUE_KEYS_MAX) {
        int part = count - done < CATALOGUE_KEYS_MAX ? count - done : CATALOGUE_KEYS_MAX;

        catalogue_cursors_get(db, &keys[done], part, &rows[statements++]);
    }
    rc = db_flush(db, feed->arena, reterr);
    if (rc != RC_OK)
        return rc;
    feed->keys_read += count;
    for (int i = 0; i < statements; i++)
        for (int row = 0; row < rows[i].rows; row++) {
            struct cursor cursor;
            struct catalogue_entry entry;

            cursors_read(&rows[i], row, &cursor);
            if (!has_texts(feed, &cursor))
                continue;
            entry = catalogue_read_cursor(&cursor);
            add_entry(batch, &entry);
            map_remove(found, cursor.id);
        }
    for (int i = 0; i < count; i++)
        if (map_find(found, keys[i]) != MAP_NONE)
            missing[missing_count++] = keys[i];
    rc = read_texts(feed, db, missing, missing_count, batch, reterr);
    if (rc == RC_OK)
        forget_keys(feed);
    return rc;
}

enum rc catalogue_feed_follow(struct catalogue_feed *feed, struct db *db,
                              struct catalogue_batch *ret, bool *ret_is_current,
                              struct err *reterr)
{
    int left = feed->key_count - feed->keys_read, node;
    enum rc rc = RC_OK;

    begin_batch(feed, ret);
    *ret_is_current = false;
    db_begin(db);
    if (left > 0) {
        rc = read_keys(feed, db, left < FEED_ROWS ? left : FEED_ROWS, ret, reterr);
    } else if (!feed->has_target) {
        rc = find_target(feed, db, reterr);
    } else {
        node = find_unread(feed);
        *ret_is_current = node < 0;
        feed->has_target = node >= 0;
        if (node >= 0)
            rc = read_events(feed, db, node, reterr);
    }
    db_rollback(db);
    return rc;
}

/* ---- all schedules ---- */

enum rc catalogue_feed_load(struct catalogue_feed *feed, struct db *db,
                            struct catalogue_batch *ret, struct err *reterr)
{
    struct db_result rows;
    int limit;
    enum rc rc;

    begin_batch(feed, ret);
    db_begin(db);
    do {
        limit = feed->size.rows;
        rows = (struct db_result){0};
        catalogue_rows_after(db, feed->load_after, limit, &rows);
        rc = db_flush(db, feed->arena, reterr);
    } while (read_size_is_cut(&feed->size, db, rc));
    db_rollback(db);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < rows.rows; i++) {
        struct catalogue_stored stored;
        struct catalogue_entry entry;

        catalogue_rows_read(&rows, i, &stored);
        entry = catalogue_read_stored(&stored, feed->arena);
        add_entry(ret, &entry);
        feed->load_after = entry.id;
    }
    ret->begins_pass = feed->begins_pass;
    feed->begins_pass = false;
    feed->is_loaded = feed->is_after_pass = rows.rows < limit;
    feed->missed_from = 0;
    return RC_OK;
}

static void note_missed(struct catalogue_feed *feed)
{
    int64_t *keys = arena_array(feed->arena, FEED_ROWS, sizeof *keys);
    int count = catalogue_missed(feed->catalogue, &feed->missed_from, keys, FEED_ROWS);

    for (int i = 0; i < count; i++)
        catalogue_feed_note(feed, keys[i]);
    feed->is_after_pass = count == FEED_ROWS;
    if (feed->is_after_pass)
        return;
    feed->begins_pass = true;
    feed->check_after = 0;
}

enum rc catalogue_feed_check(struct catalogue_feed *feed, struct db *db,
                             struct catalogue_batch *ret, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    begin_batch(feed, ret);
    if (feed->is_after_pass) {
        note_missed(feed);
        return RC_OK;
    }
    catalogue_cursors_after(db, feed->check_after, FEED_ROWS, &rows);
    rc = db_flush(db, feed->arena, reterr);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < rows.rows; i++) {
        struct cursor cursor;
        struct catalogue_entry entry;

        cursors_read(&rows, i, &cursor);
        feed->check_after = cursor.id;
        entry = catalogue_read_cursor(&cursor);
        if (has_texts(feed, &cursor))
            add_entry(ret, &entry);
        else if (!(cursor.flags & CURSOR_DELETED) || catalogue_find(feed->catalogue, cursor.id))
            catalogue_feed_note(feed, cursor.id);
    }
    ret->begins_pass = feed->begins_pass;
    feed->begins_pass = false;
    feed->is_after_pass = rows.rows < FEED_ROWS;
    feed->missed_from = 0;
    return RC_OK;
}

void catalogue_feed_apply(struct catalogue *catalogue, const struct catalogue_batch *batch)
{
    if (batch->begins_pass)
        catalogue_begin_pass(catalogue);
    for (int i = 0; i < batch->count; i++)
        catalogue_put(catalogue, &batch->entries[i]);
    for (int i = 0; i < batch->removed_count; i++)
        catalogue_remove(catalogue, batch->removed[i]);
    catalogue_tidy(catalogue);
}
