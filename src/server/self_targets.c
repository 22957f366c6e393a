/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of the server that its own HTTP actions must not call: its listeners, where
 * local clients have full access while no tokens exist.
 */
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "server/serve_parts.h"

static void add_net(struct serve *s, const char *net, uint16_t port)
{
    char text[CONFIG_HOST_MAX + sizeof "[/128]:65535"];
    struct err err;

    must(s->self_net_count < (int)(sizeof s->self_nets / sizeof s->self_nets[0]));
    snprintf(text, sizeof text, "[%s]:%u", net, port);
    must(address_net_parse(str_of(text), &s->self_nets[s->self_net_count], &err) == RC_OK);
    s->self_net_count++;
}

/*
 * The whole of 127.0.0.0/8 is loopback, and connections to 0.0.0.0 or :: reach loopback too.
 * The other addresses of the machine need no entry, because the server does not treat clients
 * from there as local.
 */
void serve_deny_self(struct serve *s, const struct config_address *address, uint16_t port)
{
    bool is_any = strcmp(address->host, "0.0.0.0") == 0 || strcmp(address->host, "::") == 0;

    if (!is_any && !address->is_loopback) {
        add_net(s, address->host, port);
    } else if (address->is_v6) {
        add_net(s, "::/127", port);
    } else {
        add_net(s, "127.0.0.0/8", port);
        add_net(s, "0.0.0.0/8", port);
    }
}
