/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins and settles calls: quick ones at once, the others on the slow reader.
 *
 * Parsing and compiling a body of 1 MB takes 100 ms, during which the loop would serve nobody.
 * The rate limit of the namespace applies before a large body is parsed: rejecting the request
 * later would save nothing.
 */
#include "api/call/operation.h"
#include "server/frontend/frontend_parts.h"

enum {
    LARGE_BODY = 8 << 10,   /* bytes of a body: about a millisecond             */
    LARGE_CALL = 256 << 10, /* bytes of a call with the schedules that it writes */
    QUICK_STEPS = 5000,     /* of struct budget: at most half a millisecond      */
};

/* Bodies of workers are often large, but quick to parse.  Forwarded bodies are not parsed. */
static bool has_large_body(const struct call *call)
{
    const struct operation *operation = call->operation;

    return call->body.len > LARGE_BODY && operation->right != RIGHT_WORK &&
           !operation->is_forwarded;
}

/* The zones of the io thread stay open until the end, see serve_reload.c. */
static void use_slow_reader(struct frontend *frontend, struct ticket *t)
{
    t->is_slow = true;
    t->zones = *(struct zoneinfo **)frontend->options.context.zones.user;
}

void frontend_begin(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call, before;

    t->budget = (struct budget){.left = QUICK_STEPS, .is_trial = true};
    call->budget = &t->budget;
    before = *call;
    if (!has_large_body(call)) {
        t->step = call_start(call);
        if (t->step == CALL_ATTRIBUTES)
            return;
        if (!t->budget.is_over) {
            admission_charge(frontend->admission, call, t->x, frontend->options.config);
            return;
        }
        *call = before;
    }
    call_keep_request(call);
    use_slow_reader(frontend, t);
    t->step = CALL_BEGIN;
}

void frontend_begun(struct frontend *frontend, struct ticket *t)
{
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces,
                                                             t->call.namespace);

    if (t->step == CALL_ATTRIBUTES)
        return; /* it begins again */
    admission_charge(frontend->admission, &t->call, t->x, frontend->options.config);
    if (entry)
        admission_charge_namespace(frontend->admission, &t->call, entry);
    admission_note(frontend->admission, &t->call);
}

/* Only writes: claims and reports of many runs are large too, but quick to settle. */
static bool is_large_call(const struct ticket *t)
{
    bool writes = t->sent_for == CALL_COMMANDS || t->step == CALL_SETTLE;

    return writes && t->x && arena_used(t->call.arena) > LARGE_CALL;
}

bool frontend_settle(struct frontend *frontend, struct ticket *t)
{
    if (!is_large_call(t)) {
        t->budget = (struct budget){.left = TICKET_STEPS};
        t->call.budget = &t->budget;
        t->step = t->call.operation->settled(&t->call);
        return true;
    }
    use_slow_reader(frontend, t);
    frontend_send_to_reader(frontend, t, CALL_SETTLE);
    return false;
}
