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
    int64_t key_ms; /* no key was made with a later time                     */
    int64_t event;  /* the last event's number                               */
    instant started_at;
    int64_t state; /* enum node_state */
};

void nodes_find(struct db *db, struct str name, struct db_result *ret);
void nodes_list(struct db *db, struct db_result *ret);
void nodes_read(const struct db_result *result, int row, struct node *ret);
/* changed is 0 when id or name is taken. */
void nodes_insert(struct db *db, const struct node *node, struct db_result *ret);
/* A new boot of a known node; changed is 0 when it is no longer at `boot` - 1. */
void nodes_boot(struct db *db, const struct node *node, struct db_result *ret);
/* The first statement of a turn: one row changes, or this node is not who it thinks. */
void nodes_turn(struct db *db, const struct node *node, struct db_result *ret);
/* No key was made with a later time than this. */
void nodes_reserve(struct db *db, int64_t id, int64_t key_ms);
/* The end of the last lease of all nodes: no turn was made much later than that. */
void nodes_others(struct db *db, int64_t id, struct db_result *ret);
/* Those whose lease ended before `now` and whose runs may not all be taken back; locked. */
void nodes_silent(struct db *db, instant now, struct db_result *ret);
void nodes_declare(struct db *db, int64_t id, enum node_state state, instant lease_until);
