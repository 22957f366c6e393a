/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frontend does when tokens come and go: who waits with one that is good no more is
 * told so at once, and whoever opens a server to others is told how to let them in.
 */
#include "io/clock.h"
#include "server/frontend/frontend_parts.h"

/* From the machine itself, over an address of it that is always its own. */
static bool has_way_in(const struct config_addresses *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->list[i].is_loopback || strcmp(list->list[i].host, "0.0.0.0") == 0 ||
            strcmp(list->list[i].host, "::") == 0)
            return true;
    return false;
}

static void say_how_to_begin(const struct frontend *frontend)
{
    const struct config *config = frontend->options.config;
    const struct config_address *exposed = config_address_exposed(&config->listen);

    if (!exposed)
        exposed = config_address_exposed(&config->grpc);
    if (!exposed)
        return;
    log_say(frontend->options.log, clock_now(), LEVEL_WARN,
            "nobody can come in from other machines yet: there are no tokens",
            LOG_TEXT("address", exposed->host),
            LOG_TEXT("help", has_way_in(&config->listen)
                                 ? "make the first one on this machine: belfry token create"
                                 : "add 127.0.0.1:7227 to listen, then make the first one on "
                                   "this machine: belfry token create"));
}

void frontend_learn_keys(struct frontend *frontend, struct keyring *keys)
{
    admission_keys(frontend->admission, keys);
    if (!frontend->knows_keys && keyring_count(keys) == 0)
        say_how_to_begin(frontend);
    frontend->knows_keys = true;
}

/* Only polls wait long enough to outlive their token; what came for them goes back. */
void frontend_close_denied(struct frontend *frontend)
{
    instant now = clock_now();

    for (struct ticket *t = frontend->all.behind; t != &frontend->all; t = t->behind)
        if (t->x && t->is_away && t->sent_for == CALL_POLL &&
            !admission_still_allows(frontend->admission, &t->call.caller, now))
            frontend_give_up(frontend, t,
                             &(struct problem){
                                 .request_id = t->call.request_id,
                                 .status = 401,
                                 .code = "unauthorized",
                                 .detail = "the token was revoked, or has expired, meanwhile",
                                 .at = -1,
                             });
}
