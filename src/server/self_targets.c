/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the server its own calls must not reach: the listeners, where this machine may
 * everything while there are no tokens.
 */
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "server/serve_parts.h"

static void deny(struct serve *s, const char *net, uint16_t port)
{
    char text[CONFIG_HOST_MAX + sizeof "[/128]:65535"];
    struct err err;

    must(s->self_net_count < (int)(sizeof s->self_nets / sizeof s->self_nets[0]));
    snprintf(text, sizeof text, "[%s]:%u", net, port);
    must(address_net_parse(str_of(text), &s->self_nets[s->self_net_count], &err) == RC_OK);
    s->self_net_count++;
}

/*
 * All of 127.0.0.0/8 is this machine, and so are 0.0.0.0 and :: to whoever connects to them.
 * Its other addresses need no denying: who comes from there is not taken for this machine.
 */
void serve_deny_own(struct serve *s, const struct config_address *address, uint16_t port)
{
    bool is_any = strcmp(address->host, "0.0.0.0") == 0 || strcmp(address->host, "::") == 0;

    if (!is_any && !address->is_loopback) {
        deny(s, address->host, port);
    } else if (address->is_v6) {
        deny(s, "::/127", port);
    } else {
        deny(s, "127.0.0.0/8", port);
        deny(s, "0.0.0.0/8", port);
    }
}
