/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search attributes of a namespace: those of its settings, or of its upstream Temporal.
 *
 * The upstream is asked when a request needs the list, not earlier; requests that come
 * meanwhile wait for the same answer, at most FORWARD_ASK_TIME_MAX.
 */
#include <stdlib.h>

#include "api/call/context_attributes.h"
#include "base/must.h"
#include "io/clock.h"
#include "server/forward/forward_ask.h"
#include "server/frontend/frontend_parts.h"
#include "wire/grpc/proto.h"
#include "wire/temporal.pb-c.h"

#define LIST_ATTRIBUTES "/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes"

/* Requests that wait for the answer of one upstream. */
struct attributes_wait {
    struct attributes_wait *next;
    struct frontend *frontend;
    int64_t namespace;
    const struct arena *settings; /* of the namespace: others may have another upstream */
    struct forward_ask *ask;
    struct ticket *first, **last;
};

void frontend_search_attributes(const struct frontend *frontend, struct str namespace,
                                struct arena *arena, struct context_attributes *ret)
{
    const struct namespace_entry *entry;

    *ret = (struct context_attributes){
        .is_upstream = true}; /* the namespace is not known yet */
    namespace_cache_lock(frontend->namespaces);
    entry = namespace_cache_find(frontend->namespaces, namespace);
    if (entry) {
        const struct namespace_settings *settings = &entry->settings.plain;

        ret->is_upstream = upstream_of_type(settings, UPSTREAM_TEMPORAL) != NULL;
        ret->is_known = ret->is_upstream ? entry->attributes_at_us > 0
                                         : settings->has_attributes;
        ret->is_open = !ret->is_upstream && !settings->has_attributes;
        if (ret->is_known)
            ret->list = search_attributes_copy(
                ret->is_upstream ? &entry->attributes : &settings->attributes, arena);
        if (ret->is_upstream && ret->is_known)
            ret->age = clock_boot_us() - entry->attributes_at_us;
    }
    namespace_cache_unlock(frontend->namespaces);
}

static void on_answer(void *arg, const struct str *message)
{
    struct attributes_wait *wait = arg, **link;
    struct frontend *frontend = wait->frontend;
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces,
                                                             wait->namespace);
    struct ticket *t = wait->first;

    for (link = &frontend->attributes_waits; *link != wait; link = &(*link)->next)
        must(*link != NULL);
    *link = wait->next;
    if (message && entry && entry->arena == wait->settings)
        namespace_cache_set_attributes(frontend->namespaces, wait->namespace, *message,
                                       clock_boot_us());
    free(wait);
    while (t) {
        struct ticket *next = t->next;

        t->next = NULL;
        t->call.has_asked_attributes = true;
        frontend_ticket_returned(frontend, t);
        t = next;
    }
}

static struct str pack_question(const struct upstream_settings *upstream, struct arena *arena)
{
    Temporal__ListSearchAttributesRequest request =
        TEMPORAL__LIST_SEARCH_ATTRIBUTES_REQUEST__INIT;

    request.namespace_ = (char *)(uintptr_t)arena_str(arena, upstream->namespace).ptr;
    return proto_pack(&request.base, arena);
}

static struct attributes_wait *begin_wait(struct frontend *frontend, const struct ticket *t,
                                          const struct namespace_entry *entry,
                                          const struct upstream_settings *upstream)
{
    struct attributes_wait *wait = calloc(1, sizeof *wait);

    must(wait != NULL);
    *wait = (struct attributes_wait){.next = frontend->attributes_waits,
                                     .frontend = frontend,
                                     .namespace = entry->id,
                                     .settings = entry->arena,
                                     .last = &wait->first};
    wait->ask = forward_ask_start(
        frontend->forwarder,
        &(struct forward_question){
            .path = LIST_ATTRIBUTES,
            .message = pack_question(upstream, t->call.arena),
            .namespace = entry->id,
            .upstream = upstream,
            .request = t->x->request,
            .keeps_credentials = !admission_has_tokens(frontend->admission),
        },
        on_answer, wait);
    frontend->attributes_waits = wait;
    return wait;
}

bool frontend_attributes_wait(struct frontend *frontend, struct ticket *t)
{
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces,
                                                             t->call.namespace);
    const struct upstream_settings *upstream = entry ? upstream_of_type(&entry->settings.plain,
                                                                        UPSTREAM_TEMPORAL)
                                                     : NULL;
    struct attributes_wait *wait = frontend->attributes_waits;

    while (wait && entry && wait->settings != entry->arena)
        wait = wait->next;
    if (!upstream || !t->x || t->call.has_asked_attributes) {
        t->call.has_asked_attributes = true;
        frontend_begin(frontend, t);
        return false;
    }
    if (!wait)
        wait = begin_wait(frontend, t, entry, upstream);
    t->is_away = true;
    t->sent_for = CALL_ATTRIBUTES;
    t->has_key = false;
    t->next = NULL;
    *wait->last = t;
    wait->last = &t->next;
    return true;
}

/* The tickets are ended with all others. */
void frontend_attributes_abandon(struct frontend *frontend)
{
    while (frontend->attributes_waits) {
        struct attributes_wait *wait = frontend->attributes_waits;

        frontend->attributes_waits = wait->next;
        forward_ask_cancel(wait->ask);
        free(wait);
    }
}
