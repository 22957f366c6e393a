/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table nodes: which nodes are alive, and the last committed turn of each.  Statements are
 * queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum { NODES_MAX = 1023 }; /* ten bits of a key; 0 means none */

enum node_state {
    NODE_UP = 1,
    NODE_DOWN = 2,
    NODE_LOST = 3, /* declared dead; the declaring node takes over its runs until lease_until */
};

/*
 * How far table days has counted the history and the ledger of a node: all rows up to the key
 * `counted`; of those up to `until`, only subjects up to the key `after`.
 */
struct days_mark {
    int64_t counted, until, after;
};

struct node {
    int64_t id;
    struct str name;
    int64_t boot; /* grows with each start */
    int64_t turn; /* the last committed turn */
    instant lease_until;
    /* No key of this node contains a later time; a turn reserves KEY_RESERVE_MS in advance. */
    int64_t key_ms;
    int64_t event; /* number of the last event */
    instant started_at;
    int64_t state; /* enum node_state */
    int64_t stats; /* rows of history up to this key are counted in table stats */
    instant turned_at;
    span skew;                   /* its clock minus the database's, at that turn */
    struct str version, address; /* of the program; where it listens; for display */
    struct days_mark days;
};

void nodes_find(struct db *db, struct str name, struct db_result *ret);
void nodes_list(struct db *db, struct db_result *ret);
void nodes_read(const struct db_result *result, int row, struct node *ret);
/* changed is 0 if id or name is taken. */
void nodes_insert(struct db *db, const struct node *node, struct db_result *ret);
/*
 * Starts a new boot of an existing node; changed is 0 if its boot is not `boot` - 1, or if
 * other nodes are counting its history, see nodes_count() and nodes_count_days().
 */
void nodes_boot(struct db *db, const struct node *node, struct db_result *ret);
/* The first statement of a turn; changed is 0 if boot, turn or state are not as expected. */
void nodes_turn(struct db *db, const struct node *node, struct db_result *ret);
/* Records that keys up to this millisecond may have been made. */
void nodes_reserve(struct db *db, int64_t id, int64_t key_ms);
/*
 * About other nodes: (count) of those that are up, (sum) that grows with every action of any of
 * them, (key) up to which the history and ledger of all that are not down are counted.
 */
void nodes_others(struct db *db, int64_t id, struct db_result *ret);
/* Nodes whose lease ended before `now` and whose runs may not all be taken over yet; locked. */
void nodes_silent(struct db *db, instant now, struct db_result *ret);
/* Sets nodes.stats to `stats` if state and stats are still those of `node`. */
void nodes_count(struct db *db, const struct node *node, int64_t stats);
/* Sets node->days if state and marks are still those of `node`. */
void nodes_count_days(struct db *db, const struct node *node, const struct days_mark *days);
void nodes_declare(struct db *db, int64_t id, enum node_state state, instant lease_until);
/*
 * Extends the time of a takeover; changed is 0 if the node is back, or another node has taken
 * it over since.  `since` is the lease_until of the last nodes_declare() or nodes_hold().
 */
void nodes_hold(struct db *db, int64_t id, instant since, instant lease_until,
                struct db_result *ret);
