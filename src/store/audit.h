/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table audit: who changed what, and which requests were denied.  One packed row per turn and
 * node.
 *
 * The rows of a node form a chain: each holds the hash of the row before it, and its own hash
 * over that and over its whole content.  A row that was edited, inserted or removed is
 * therefore detected.  Statements are queued.  Rows never change; they are pruned by age, the
 * oldest first.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/sha256.h"
#include "db/db.h"
#include "store/schedules.h"

enum {
    AUDIT_TEXT_MAX = 1000, /* maximum bytes of one text of an entry; a longer text is cut */
    AUDIT_TEXTS = 7,
    AUDIT_HEAD = 13,        /* bytes of an entry without its texts and their lengths */
    AUDIT_FINGERPRINT = 16, /* bytes of a schedule's fingerprint; collisions are not expected */
    AUDIT_ENTRY_MAX = AUDIT_HEAD + 2 * AUDIT_FINGERPRINT + AUDIT_TEXTS * (AUDIT_TEXT_MAX + 2),
};

enum audit_result {
    AUDIT_DONE = 1,
    AUDIT_NOT_FOUND = 2,
    AUDIT_CONFLICT = 3,
    AUDIT_LIMIT = 4,
    AUDIT_FAILED = 5,
    AUDIT_UNAUTHORIZED = 6, /* the client could not be identified */
    AUDIT_FORBIDDEN = 7,    /* the client was identified but lacks the right */
    AUDIT_DAMAGED = 8,      /* never stored: the stored entry cannot be read */
    AUDIT_RESULT_COUNT
};

const char *audit_result_text(enum audit_result result);

/* The first bytes of a SHA-256 over the parts of a schedule that users write. */
struct audit_fingerprint {
    bool is_set;
    uint8_t bytes[AUDIT_FINGERPRINT];
};

/* Covers all that an edit can change; `is_disabled` is not in the row. */
struct audit_fingerprint audit_fingerprint_of(const struct schedule_row *row, bool is_disabled);

struct audit_entry {
    enum audit_result result;
    struct audit_fingerprint before, after; /* of the schedule; unset: it did not exist */
    int64_t version;                        /* of the schedule after the operation, or 0 */
    int64_t count;                          /* 1; more for an entry that counts equal denials */
    struct str by, operation, object;
    struct str token;     /* id of the token that was used; empty: none */
    struct str namespace; /* its name; empty: the whole server */
    struct str from;      /* the client's address */
    struct str request;   /* request id */
};

size_t audit_packed_size(const struct audit_entry *entry);
void audit_pack(const struct audit_entry *entry, struct buf *out);
/* Removes one entry from the front of *bytes; *ret_any: there was one.  RC_CORRUPT: damaged. */
MUST_USE enum rc audit_unpack(struct str *bytes, struct audit_entry *ret, bool *ret_any,
                              struct err *reterr);

/* Entries seq .. seq + count - 1 of a node. */
struct audit_row {
    int64_t node, seq, count;
    instant at;
    struct str body;
    uint8_t prior[SHA256_BYTES]; /* hash of the row before; zeros: this is the first */
    uint8_t hash[SHA256_BYTES];
};

/* Computes the hash of a row from all its other members. */
void audit_row_hash(const struct audit_row *row, uint8_t ret[SHA256_BYTES]);

void audit_insert(struct db *db, const struct audit_row *row);
/* (seq + count - 1, hash) of a node's last row; no row if the node has none. */
void audit_last(struct db *db, struct str node, struct db_result *ret);
/* (node, name) of the next node after `node` that has rows; the name may be NULL. */
void audit_next_node(struct db *db, int64_t node, struct db_result *ret);
/* A node's rows after `seq`, in order. */
void audit_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret);
/* Rows of all nodes, latest first, that precede `before` by time, node and number. */
void audit_before(struct db *db, const struct audit_row *before, int limit,
                  struct db_result *ret);
void audit_read(const struct db_result *result, int row, struct audit_row *ret);
/* Deletes up to `limit` of a node's rows that are older than `before`, the oldest first. */
void prune_audit(struct db *db, int64_t node, instant before, int limit);
/*
 * (id) of a node that is down and has older rows; locks its row.  No row: there is none, or
 * another node holds the lock.
 */
void prune_audit_down_node(struct db *db, instant before, struct db_result *ret);
