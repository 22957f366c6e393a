/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many schedules a namespace may have.
 *
 * Counted once a turn and namespace, up to the quota, in the index of names.  Two nodes that
 * make schedules in the same moment do not see each other's, so that a namespace can pass its
 * quota by what one turn makes; it makes nothing more after that.
 */
#include "engine/apply.h"

static struct quota *find(struct turn *turn, int64_t namespace)
{
    for (int i = 0; i < turn->quotas.count; i++)
        if (turn->quotas.at[i]->namespace == namespace)
            return turn->quotas.at[i];
    return NULL;
}

void quota_send(struct turn *turn, const struct command *c)
{
    struct quota *quota;

    if (c->quota == 0 || find(turn, c->namespace))
        return;
    quota = arena_take(turn->arena, sizeof *quota);
    quota->namespace = c->namespace;
    *VEC_ADD(turn, &turn->quotas) = quota;
    schedules_count(turn->db, c->namespace, c->quota, &quota->row);
}

bool quota_take(struct turn *turn, const struct command *c, struct reply *reply)
{
    struct quota *quota = c->quota > 0 ? find(turn, c->namespace) : NULL;

    if (!quota)
        return true;
    if (db_int_at(&quota->row, 0, 0) + quota->made < c->quota) {
        quota->made++;
        return true;
    }
    reply->is_quota = true;
    refuse(turn, reply, RC_LIMIT, "the namespace has %lld schedules, the most that it may have",
           (long long)c->quota);
    return false;
}
