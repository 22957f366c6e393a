/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the number of schedules per namespace.
 *
 * A turn counts the schedules of a namespace once, up to the quota, in the index of names.  Two
 * nodes that create schedules at the same moment do not see those of the other, so a namespace
 * can exceed its quota by what one turn creates; after that it can create no more.
 */
#include "engine/apply.h"

static struct quota *find_quota(struct turn *turn, int64_t namespace)
{
    for (int i = 0; i < turn->quotas.count; i++)
        if (turn->quotas.at[i]->namespace == namespace)
            return turn->quotas.at[i];
    return NULL;
}

void quota_send(struct turn *turn, const struct command *c)
{
    struct quota *quota;

    if (c->quota == 0 || find_quota(turn, c->namespace))
        return;
    quota = arena_take(turn->arena, sizeof *quota);
    quota->namespace = c->namespace;
    *VEC_ADD(turn, &turn->quotas) = quota;
    schedules_count(turn->db, c->namespace, c->quota, &quota->row);
}

bool quota_take(struct turn *turn, const struct command *c, struct reply *reply)
{
    struct quota *quota = c->quota > 0 ? find_quota(turn, c->namespace) : NULL;

    if (!quota)
        return true;
    if (db_int_at(&quota->row, 0, 0) + quota->created < c->quota) {
        quota->created++;
        return true;
    }
    reply->is_quota = true;
    refuse(turn, reply, RC_LIMIT, "the namespace has %lld schedules; that is its limit",
           (long long)c->quota);
    return false;
}
