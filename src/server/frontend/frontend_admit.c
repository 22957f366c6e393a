/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the decisions of admission.c to a request: who it is from, and which limits it uses.
 */
#include "server/frontend/frontend_parts.h"

/*
 * Forwarding needs a right.  A caller that lacks it gets Belfry's own operation, if there is
 * one that needs no right.  Many workers with tokens may share an address: their connections
 * are not counted against it.
 */
bool frontend_admit(struct frontend *frontend, struct ticket *t, struct exchange *x)
{
    const struct config *config = frontend->options.config;
    bool is_admitted = admission_admit(frontend->admission, &t->call, x, config, &t->limit);

    if (!is_admitted && t->fallback && t->fallback->right == RIGHT_NONE &&
        frontend_forward_use_own(t))
        is_admitted = admission_admit(frontend->admission, &t->call, x, config, &t->limit);
    if (is_admitted && t->call.caller.token != 0)
        exchange_trust(x);
    return is_admitted;
}

/* A call that needs no database never comes to find_namespace(), but the rate limit applies. */
void frontend_count_answered(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;
    const struct namespace_entry *entry;

    if (t->step != CALL_ANSWER || call->denied != 0 || call->namespace != 0)
        return;
    entry = namespace_cache_find(frontend->namespaces, call->namespace_name);
    if (entry)
        admission_check_namespace(frontend->admission, call, entry, &t->limit);
}
