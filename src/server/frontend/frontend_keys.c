/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies new tokens: ends polls whose token is not valid any more, and logs how to create the
 * first token of a server that other machines can reach.
 */
#include "io/clock.h"
#include "server/frontend/frontend_parts.h"

/* Local clients always reach loopback and wildcard addresses. */
static bool has_local_listener(const struct config_addresses *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->list[i].is_loopback || strcmp(list->list[i].host, "0.0.0.0") == 0 ||
            strcmp(list->list[i].host, "::") == 0)
            return true;
    return false;
}

static void log_token_help(const struct frontend *frontend)
{
    const struct config *config = frontend->options.config;
    const struct config_address *exposed = config_address_exposed(&config->listen);

    if (!exposed)
        exposed = config_address_exposed(&config->grpc);
    if (!exposed)
        return;
    log_say(frontend->options.log, clock_now(), LEVEL_WARN,
            "remote clients have no access: there are no tokens",
            LOG_TEXT("address", exposed->host),
            LOG_TEXT("help", has_local_listener(&config->listen)
                                 ? "create the first token on this machine: belfry token create"
                                 : "add 127.0.0.1:7227 to listen, then create the first token "
                                   "on this machine: belfry token create"));
}

void frontend_set_keys(struct frontend *frontend, struct keyring *keys)
{
    admission_set_keys(frontend->admission, keys);
    if (!frontend->has_tokens && keyring_count(keys) == 0)
        log_token_help(frontend);
    frontend->has_tokens = true;
}

/* Without a token a client had access only while the server had no tokens. */
static const char *denial_of(void *arg, const struct caller *caller)
{
    const struct frontend *frontend = arg;

    if (admission_still_allows(frontend->admission, caller, clock_now()))
        return NULL;
    if (caller->session != 0)
        return "the session has ended; log in again";
    return caller->token == 0 ? "a token is required now; send Authorization: Bearer bf_..."
                              : "the token was revoked or has expired";
}

/* Ends polls and releases their runs; streams_close_denied() ends streams. */
void frontend_close_denied(struct frontend *frontend)
{
    if (frontend->forwarder)
        forwarder_end_denied(frontend->forwarder, denial_of, frontend);
    for (struct ticket *t = frontend->all.next_open; t != &frontend->all; t = t->next_open) {
        bool is_poll = t->x && t->is_away && t->sent_for == CALL_POLL;
        const char *why = is_poll ? denial_of(frontend, &t->call.caller) : NULL;

        if (why)
            frontend_give_up(frontend, t,
                             &(struct problem){
                                 .request_id = t->call.request_id,
                                 .status = 401,
                                 .code = "unauthorized",
                                 .detail = why,
                                 .at = -1,
                             });
    }
}
