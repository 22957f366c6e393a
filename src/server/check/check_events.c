/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks sequences: events without gaps (invariant 19), and the hash chain of the audit log.
 */
#include <inttypes.h>

#include "core/event.h"
#include "server/check/check_parts.h"
#include "store/audit.h"
#include "store/events_requests.h"
#include "store/nodes.h"

/* The position in a sequence. */
struct chain {
    struct str name; /* of the node */
    int64_t node;
    int64_t next; /* expected number; 0: any */
    struct audit_row last;
};

static int64_t count_events(struct str body)
{
    struct event event;
    struct err err;
    int64_t count = 0;
    bool any = true;

    while (any) {
        if (event_unpack(&body, &event, &any, &err) != RC_OK)
            return -1;
        count += any;
    }
    return count;
}

static void check_event_row(struct check *check, struct chain *chain,
                            const struct db_result *rows, int i)
{
    int64_t seq = db_int_at(rows, i, 0), count = db_int_at(rows, i, 1);

    if (chain->next > 0 && seq != chain->next)
        check_found(check, NO_PLACE,
                    "events of node %.*s: the next number after %" PRId64 " is %" PRId64,
                    STR_ARG(chain->name), chain->next - 1, seq);
    if (count_events(db_blob_at(rows, i, 3)) != count)
        check_found(check, NO_PLACE,
                    "events %" PRId64 " to %" PRId64 " of node %.*s cannot be read", seq,
                    seq + count - 1, STR_ARG(chain->name));
    chain->next = seq + count;
    check->counts.events += count;
}

static enum rc check_events_of(struct check *check, const struct node *node, struct err *reterr)
{
    struct chain chain = {.name = node->name};
    struct db_result rows = {0};
    enum rc rc;

    do {
        arena_reset(check->page);
        events_of(check->db, node->id, chain.next, CHECK_EVENTS_PAGE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++)
            check_event_row(check, &chain, &rows, i);
        check_progress(check, "events", check->counts.events, 0);
    } while (rc == RC_OK && rows.rows == CHECK_EVENTS_PAGE);
    /* The node row was read first; a running server may have written more events since. */
    if (rc == RC_OK && chain.next > 0 && node->event >= chain.next)
        check_found(check, NO_PLACE,
                    "node %.*s has counted %" PRId64 " events, but the last one is number "
                    "%" PRId64,
                    STR_ARG(node->name), node->event, chain.next - 1);
    return rc;
}

enum rc check_events(struct check *check, struct err *reterr)
{
    struct db_result nodes = {0};
    enum rc rc;

    nodes_list(check->db, &nodes);
    rc = db_flush(check->db, check->arena, reterr);
    for (int i = 0; rc == RC_OK && i < nodes.rows; i++) {
        struct node node;

        nodes_read(&nodes, i, &node);
        rc = check_events_of(check, &node, reterr);
    }
    arena_reset(check->arena);
    return rc;
}

static bool can_be_read(const struct audit_row *row)
{
    struct str rest = row->body;
    struct audit_entry entry;
    struct err err;
    int64_t count = 0;
    bool any = true;

    while (any) {
        if (audit_unpack(&rest, &entry, &any, &err) != RC_OK)
            return false;
        count += any;
    }
    return count == row->count;
}

static const char *why_broken(const struct audit_row *row, const struct audit_row *last)
{
    static const uint8_t none[SHA256_BYTES];
    uint8_t hash[SHA256_BYTES];

    audit_row_hash(row, hash);
    if (!sha256_eq(hash, row->hash))
        return "was changed";
    if (last->seq > 0 && row->seq != last->seq + last->count)
        return "follows missing entries";
    if (last->seq > 0 && !sha256_eq(row->prior, last->hash))
        return "does not match the previous entry";
    if (last->seq == 0 && row->seq == 1 && !sha256_eq(row->prior, none))
        return "follows missing entries";
    return can_be_read(row) ? NULL : "cannot be read";
}

static enum rc check_audit_of(struct check *check, struct chain *chain, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    chain->last = (struct audit_row){.seq = 0};
    do {
        arena_reset(check->page);
        audit_of(check->db, chain->node, chain->last.seq, CHECK_EVENTS_PAGE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct audit_row row;
            const char *why;

            audit_read(&rows, i, &row);
            why = why_broken(&row, &chain->last);
            if (why)
                check_found(check, NO_PLACE, "audit log of node %.*s: entry %" PRId64 " %s",
                            STR_ARG(chain->name), row.seq, why);
            chain->last = row;
            check->counts.audit += row.count;
        }
        check_progress(check, "audit", check->counts.audit, 0);
    } while (rc == RC_OK && rows.rows == CHECK_EVENTS_PAGE);
    return rc;
}

enum rc check_audit(struct check *check, struct err *reterr)
{
    struct chain chain = {.node = -1};
    enum rc rc;

    for (;;) {
        struct db_result node = {0};

        arena_reset(check->arena);
        audit_next_node(check->db, chain.node, &node);
        rc = db_flush(check->db, check->arena, reterr);
        if (rc != RC_OK || node.rows == 0)
            return rc;
        chain.node = db_int_at(&node, 0, 0);
        chain.name = db_at(&node, 0, 1)->type == DB_TEXT ? db_text_at(&node, 0, 1) : STR("?");
        rc = check_audit_of(check, &chain, reterr);
        if (rc != RC_OK)
            return rc;
    }
}
