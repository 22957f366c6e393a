/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table audit: who changed what, or was not let, in one packed row a turn and node.
 *
 * The rows of a node are a chain: each holds the hash of the one before it and its own over
 * that and all of its content, so that a row that was edited, put in or taken out is found.
 * Statements are queued; rows never change, and go only with age, the oldest first.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/sha256.h"
#include "db/db.h"
#include "store/schedules.h"

enum {
    AUDIT_TEXT_MAX = 255, /* bytes of one text of an entry; a longer one is cut      */
    AUDIT_TEXTS = 7,
    AUDIT_HEAD = 13,  /* bytes of an entry beside its texts and their lengths       */
    AUDIT_PRINT = 16, /* bytes of a schedule's print: as many as nobody finds twice */
    AUDIT_ENTRY_MAX = AUDIT_HEAD + 2 * AUDIT_PRINT + AUDIT_TEXTS * (AUDIT_TEXT_MAX + 1),
};

enum audit_result {
    AUDIT_DONE = 1,
    AUDIT_NOT_FOUND = 2,
    AUDIT_CONFLICT = 3,
    AUDIT_LIMIT = 4,
    AUDIT_FAILED = 5,
    AUDIT_UNAUTHORIZED = 6, /* nobody knows who asked             */
    AUDIT_FORBIDDEN = 7,    /* it is known, and they may not      */
    AUDIT_RESULT_COUNT
};

const char *audit_result_text(enum audit_result result);

/* What people wrote of a schedule, as the beginning of its SHA-256. */
struct audit_fingerprint {
    bool is_set;
    uint8_t bytes[AUDIT_PRINT];
};

/* Of all that an edit can change; `is_disabled` is not in the row. */
struct audit_fingerprint audit_fingerprint_of(const struct schedule_row *row, bool is_disabled);

struct audit_entry {
    enum audit_result result;
    struct audit_fingerprint before, after; /* of the schedule; unset: there was, or is, none */
    int64_t version; /* that the schedule then had, or 0                        */
    int64_t count;   /* how often: 1, but for refusals that came in a flood     */
    struct str by, operation, object;
    struct str token;     /* the id of the one that was shown; empty: none     */
    struct str namespace; /* its name; empty: the whole server                  */
    struct str from;      /* the address of who asked                           */
    struct str request;   /* its id                                             */
};

size_t audit_packed_size(const struct audit_entry *entry);
void audit_pack(const struct audit_entry *entry, struct buf *out);
/* Takes one from the front of *bytes; *ret_any is false at their end.  RC_CORRUPT. */
MUST_USE enum rc audit_unpack(struct str *bytes, struct audit_entry *ret, bool *ret_any,
                              struct err *reterr);

/* Entries seq .. seq + count - 1 of a node. */
struct audit_row {
    int64_t node, seq, count;
    instant at;
    struct str body;
    uint8_t prior[SHA256_BYTES]; /* the hash of the row before; zeros: there is none */
    uint8_t hash[SHA256_BYTES];
};

/* The hash that the row has by all the rest of it. */
void audit_link(const struct audit_row *row, uint8_t ret[SHA256_BYTES]);

void audit_insert(struct db *db, const struct audit_row *row);
/* (seq + count - 1, hash) of a node's last row; no row when there is none. */
void audit_last(struct db *db, struct str node, struct db_result *ret);
/* (node, name) of the next node after `node` that has rows; the name may be NULL. */
void audit_next_node(struct db *db, int64_t node, struct db_result *ret);
/* Those of a node after `seq`, in order. */
void audit_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret);
/* Of all nodes, the latest first, those before `before` by time, node and number. */
void audit_before(struct db *db, const struct audit_row *before, int limit,
                  struct db_result *ret);
void audit_read(const struct db_result *result, int row, struct audit_row *ret);
/* A portion of a node's rows that are older. */
void prune_audit(struct db *db, int64_t node, instant before, int limit);
/* (id) of a node that is down and has older rows; locked, no row: none, or another has it. */
void prune_audit_left(struct db *db, instant before, struct db_result *ret);
