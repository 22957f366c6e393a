/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the door does when tokens come and go: who waits with one that is good no more is told
 * so at once, and whoever opens a server to others is told how to let them in.
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

static void say_how_to_begin(const struct door *door)
{
    const struct config *config = door->options.config;
    const struct config_address *exposed = config_address_exposed(&config->listen);

    if (!exposed)
        exposed = config_address_exposed(&config->grpc);
    if (!exposed)
        return;
    log_say(door->options.log, clock_now(), LEVEL_WARN,
            "nobody can come in from other machines yet: there are no tokens",
            LOG_TEXT("address", exposed->host),
            LOG_TEXT("help", has_way_in(&config->listen)
                                 ? "make the first one on this machine: belfry token create"
                                 : "add 127.0.0.1:7227 to listen, then make the first one on "
                                   "this machine: belfry token create"));
}

void door_learn_keys(struct door *door, struct keyring *keys)
{
    porter_keys(door->porter, keys);
    if (!door->knows_keys && keyring_count(keys) == 0)
        say_how_to_begin(door);
    door->knows_keys = true;
}

/* Only polls wait long enough to outlive their token; what came for them goes back. */
void door_shut_out(struct door *door)
{
    instant now = clock_now();

    for (struct ticket *t = door->all.behind; t != &door->all; t = t->behind)
        if (t->x && t->is_away && t->sent_for == CALL_POLL &&
            !porter_knows(door->porter, &t->call.caller, now))
            door_give_up(door, t,
                         &(struct problem){
                             .request_id = t->call.request_id,
                             .status = 401,
                             .code = "unauthorized",
                             .detail = "the token was revoked, or has expired, meanwhile",
                             .at = -1,
                         });
}
