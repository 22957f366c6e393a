/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table nodes: who is alive, whose turn was committed.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum { NODES_MAX = 1023 }; /* ten bits of a key; 0 is nobody */

enum node_state {
    NODE_UP = 1,
    NODE_DOWN = 2,
    NODE_LOST = 3, /* declared dead; whoever did so takes back its runs until lease_until */
};

struct node {
    int64_t id;
    struct str name;
    int64_t boot; /* grows with each start                                  */
    int64_t turn; /* the last one that was committed                        */
    instant lease_until;
    /* No key was made with a later time; none of a later turn will have one that is earlier
     * than this by more than KEY_RESERVE_MS. */
    int64_t key_ms;
    int64_t event; /* the last event's number                               */
    instant started_at;
    int64_t state; /* enum node_state */
    int64_t stats; /* its rows of history up to this key are in the table of that name */
    instant turned_at;
    span skew;                   /* its clock beside the database's, at that turn */
    struct str version, address; /* of the program, and where it listens; for people */
};

void nodes_find(struct db *db, struct str name, struct db_result *ret);
void nodes_list(struct db *db, struct db_result *ret);
void nodes_read(const struct db_result *result, int row, struct node *ret);
/* changed is 0 when id or name is taken. */
void nodes_insert(struct db *db, const struct node *node, struct db_result *ret);
/*
 * A new boot of a known node; changed is 0 when it is no longer at `boot` - 1, or when others
 * are counting its history, see nodes_count().
 */
void nodes_boot(struct db *db, const struct node *node, struct db_result *ret);
/* The first statement of a turn: one row changes, or this node is not who it thinks. */
void nodes_turn(struct db *db, const struct node *node, struct db_result *ret);
/* No key was made with a later time than this. */
void nodes_reserve(struct db *db, int64_t id, int64_t key_ms);
/*
 * Of other nodes: (count) of those up, (sum) that grows with all that any of them does, (key)
 * up to which history is counted of all that are not down.
 */
void nodes_others(struct db *db, int64_t id, struct db_result *ret);
/* Those whose lease ended before `now` and whose runs may not all be taken back; locked. */
void nodes_silent(struct db *db, instant now, struct db_result *ret);
/* Counted up to `stats` from now on, if it is in that state and was counted as it says. */
void nodes_count(struct db *db, const struct node *node, int64_t stats);
void nodes_declare(struct db *db, int64_t id, enum node_state state, instant lease_until);
