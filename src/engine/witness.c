/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit of a turn: what people asked for and what came of it, in the same transaction.
 */
#include "base/must.h"
#include "engine/apply.h"

enum { PRUNED = 2 }; /* old rows that go for one that comes: in time all of them */

static enum audit_result result_of(enum rc rc)
{
    switch (rc) {
    case RC_OK:
        return AUDIT_DONE;
    case RC_NOT_FOUND:
        return AUDIT_NOT_FOUND;
    case RC_CONFLICT:
        return AUDIT_CONFLICT;
    case RC_LIMIT:
        return AUDIT_LIMIT;
    default:
        return AUDIT_FAILED;
    }
}

/* What comes again is told when it is done; what was done before has been told. */
static bool is_told(const struct command *c, const struct reply *reply)
{
    return c->audit && reply->rc != RC_BUSY && !reply->is_repeated;
}

static struct audit_entry entry_of(const struct command *c, const struct reply *reply)
{
    struct audit_entry entry = *c->audit;

    if (c->kind == COMMAND_DENIED)
        return entry; /* its result is what it is about */
    entry.result = result_of(reply->rc);
    entry.version = reply->version;
    entry.count = 1;
    return entry;
}

static size_t room_for(const struct turn *turn)
{
    size_t room = 1;

    for (int i = 0; i < turn->in->command_count; i++)
        if (turn->in->commands[i].audit)
            room += audit_packed_size(turn->in->commands[i].audit);
    return room;
}

void witness_write(struct turn *turn)
{
    struct memory *m = &turn->memory;
    struct audit_row row = {.node = turn->node, .seq = m->audit + 1, .at = turn->now};
    struct buf body = {.cap = room_for(turn)};

    if (body.cap == 1)
        return;
    body.ptr = arena_take(turn->arena, body.cap);
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct audit_entry entry;

        if (!is_told(c, &turn->replies[i]))
            continue;
        entry = entry_of(c, &turn->replies[i]);
        audit_pack(&entry, &body);
        row.count++;
    }
    must(!body.cut);
    if (row.count == 0)
        return;
    row.body = buf_as_str(&body);
    memcpy(row.prior, m->audit_hash, sizeof row.prior);
    audit_link(&row, row.hash);
    audit_insert(turn->db, &row);
    prune_audit(turn->db, turn->node, turn->now - AUDIT_AGE, PRUNED);
    m->audit += row.count;
    memcpy(m->audit_hash, row.hash, sizeof m->audit_hash);
}
