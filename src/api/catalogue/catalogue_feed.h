/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the schedules of all namespaces for a catalogue, and what events say has changed.
 *
 * Loading reads all schedules by key.  Following reads the events of all nodes since loading
 * began, and then the schedules that they name.  Checking reads all cursors again, slowly, and
 * finds the few changes that have no event, such as those by hints and calendars.
 *
 * Each step is a few statements on a connection of its caller, in a transaction of its own.  It
 * returns its result as a batch; nothing here changes the catalogue.
 */
#pragma once

#include "api/call/read_size.h"
#include "api/catalogue/catalogue.h"
#include "api/events/event_cursor.h"
#include "base/arena.h"
#include "base/map.h"
#include "db/db.h"

enum {
    FEED_ROWS = 512,      /* schedules or cursors of one step: some milliseconds   */
    FEED_EVENT_ROWS = 64, /* turns of one step                                     */
    FEED_KEYS = 65536,    /* changed schedules, after which no more events are read */
};

struct catalogue_batch {
    struct catalogue_entry *entries;
    int count;
    int64_t *removed;
    int removed_count;
    bool begins_pass; /* apply it after catalogue_begin_pass() */
};

struct catalogue_feed {
    const struct catalogue *catalogue; /* to which the batches will be applied */
    struct arena *arena;               /* of the last batch                    */
    struct event_cursor position;
    struct event_cursor target; /* the last events when this round of following began */
    bool has_target;
    struct read_size size; /* rows with texts of one read           */
    bool is_loaded;        /* all schedules have been read          */
    bool begins_pass;      /* the next batch is the first of a pass */
    bool is_after_pass;    /* search for what the pass did not find */
    int64_t load_after, check_after;
    uint32_t missed_from; /* row from which on to search             */
    struct map *changed;  /* key to its last place in `keys`         */
    int64_t *keys;        /* to read again: those from keys_read on  */
    int key_count, keys_read, key_room;
};

void catalogue_feed_open(struct catalogue_feed *feed, const struct catalogue *catalogue);
void catalogue_feed_close(struct catalogue_feed *feed);

/* Begins to load: notes the position of the events. */
MUST_USE enum rc catalogue_feed_begin(struct catalogue_feed *feed, struct db *db,
                                      struct err *reterr);

/* The next schedules by key; sets feed->is_loaded after the last ones. */
MUST_USE enum rc catalogue_feed_load(struct catalogue_feed *feed, struct db *db,
                                     struct catalogue_batch *ret, struct err *reterr);

/*
 * The next changes.  *ret_is_current: the catalogue has every change that was committed before
 * the first step since the last time that this was true.  Events that were deleted before they
 * were read, or a database that was restored, make feed->is_loaded false: begin again.
 */
MUST_USE enum rc catalogue_feed_follow(struct catalogue_feed *feed, struct db *db,
                                       struct catalogue_batch *ret, bool *ret_is_current,
                                       struct err *reterr);

/* The next cursors by key. */
MUST_USE enum rc catalogue_feed_check(struct catalogue_feed *feed, struct db *db,
                                      struct catalogue_batch *ret, struct err *reterr);

/* Reads this schedule again in a later step; for changes that have no event. */
void catalogue_feed_note(struct catalogue_feed *feed, int64_t key);

/* Changes the catalogue. */
void catalogue_feed_apply(struct catalogue *catalogue, const struct catalogue_batch *batch);
