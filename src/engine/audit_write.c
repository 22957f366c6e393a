/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the audit entries of a turn, in its transaction: what clients requested, and the
 * result.
 */
#include "base/must.h"
#include "engine/apply.h"
#include "engine/engine_internal.h"

/* Prunes up to twice the rows inserted since the last prune, so that old rows become fewer. */
enum { AUDIT_PRUNE_ROWS = 32 };
#define AUDIT_PRUNE_EVERY SPAN_H /* where few rows are inserted */

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

/* A command that is busy will come again; a repeated one has its entry already. */
static bool is_audited(const struct command *c, const struct reply *reply)
{
    return c->audit && reply->rc != RC_BUSY && !reply->is_repeated;
}

/* ---- fingerprints ---- */

static bool wants_fingerprint(const struct command *c)
{
    return c->audit && apply_is_edit(c->kind);
}

void audit_write_before(const struct command *c, struct command_state *s)
{
    struct work_schedule *sched = s->sched;
    struct schedule_row row;

    if (!wants_fingerprint(c))
        return;
    if (!sched->fingerprint.is_set && sched->row_all.rows == 1) {
        schedules_read(&sched->row_all, 0, &row);
        sched->fingerprint = audit_fingerprint_of(&row,
                                                  (sched->cursor.flags & CURSOR_DISABLED) != 0);
    }
    s->before = sched->fingerprint;
}

static struct audit_fingerprint fingerprint_of(const struct draft *d)
{
    struct schedule_row row = {
        .spec = d->spec,
        .action = d->action,
        .policies = d->policies,
        .governor = d->governor,
        .labels = d->labels,
        .extra = d->extra,
        .description = d->description,
        .dialect = d->dialect,
    };

    return audit_fingerprint_of(&row, d->is_disabled);
}

/* The new fingerprint is the `before` of the next command of this turn. */
void audit_write_after(const struct command *c, struct command_state *s,
                       const struct reply *reply)
{
    if (!wants_fingerprint(c) || reply->rc != RC_OK)
        return;
    if (c->kind != COMMAND_DELETE)
        s->after = fingerprint_of(c->save.draft);
    s->sched->fingerprint = s->after;
}

/* ---- entries ---- */

static struct audit_entry entry_of(const struct command *c, const struct command_state *s,
                                   const struct reply *reply)
{
    struct audit_entry entry = *c->audit;

    must(reply->rc != RC_BUSY && !reply->is_repeated); /* else it would get two entries */
    if (c->kind == COMMAND_DENIED)
        return entry; /* the caller has set its result */
    entry.result = result_of(reply->rc);
    entry.version = reply->version;
    entry.count = 1;
    if (reply->rc == RC_OK) {
        entry.before = s->before;
        entry.after = s->after;
    }
    return entry;
}

static size_t packed_room(const struct turn *turn)
{
    size_t room = 1;

    for (int i = 0; i < turn->in->command_count; i++)
        if (turn->in->commands[i].audit)
            room += audit_packed_size(turn->in->commands[i].audit) +
                    (size_t)2 * AUDIT_FINGERPRINT;
    return room;
}

static void prune_old_rows(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    if (++m->audit_rows < AUDIT_PRUNE_ROWS && m->audit_pruned_at != INSTANT_NONE &&
        turn->now >= m->audit_pruned_at && turn->now - m->audit_pruned_at < AUDIT_PRUNE_EVERY)
        return;
    prune_audit(turn->db, turn->node, turn->now - AUDIT_AGE, 2 * AUDIT_PRUNE_ROWS);
    m->audit_pruned_at = turn->now;
    m->audit_rows = 0;
}

void audit_write(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    struct audit_row row = {.node = turn->node, .seq = m->audit + 1, .at = turn->now};
    struct buf body = {.cap = packed_room(turn)};

    if (body.cap == 1)
        return;
    body.ptr = arena_take_raw(turn->arena, body.cap);
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct audit_entry entry;

        if (!is_audited(c, &turn->replies[i]))
            continue;
        entry = entry_of(c, &turn->commands[i], &turn->replies[i]);
        audit_pack(&entry, &body);
        row.count++;
    }
    must(!body.cut);
    if (row.count == 0)
        return;
    must(row.seq == turn->engine->memory.audit + 1);
    row.body = buf_as_str(&body);
    memcpy(row.prior, m->audit_hash, sizeof row.prior);
    audit_row_hash(&row, row.hash);
    audit_insert(turn->db, &row);
    prune_old_rows(turn);
    m->audit += row.count;
    memcpy(m->audit_hash, row.hash, sizeof m->audit_hash);
}
