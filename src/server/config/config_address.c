/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and prints the addresses of listeners.
 */
#include "server/config/config_address.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/must.h"

enum { PORT_MAX = 65535 };

static bool is_loopback_v4(const unsigned char *bytes)
{
    return bytes[0] == 127;
}

/* ::1, and 127.0.0.0/8 as mapped addresses. */
static bool is_loopback_v6(const unsigned char *bytes)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff}, zero[15] = {0};

    if (memcmp(bytes, mapped, sizeof mapped) == 0)
        return is_loopback_v4(bytes + sizeof mapped);
    return memcmp(bytes, zero, sizeof zero) == 0 && bytes[15] == 1;
}

static enum rc read_port(struct str text, size_t at, uint16_t *ret, struct err *reterr)
{
    struct str rest = text;
    int64_t port = 0;

    if (str_take_number(&rest, PORT_MAX, &port) == 0 || rest.len > 0)
        return err_set(reterr, RC_INVALID, (int)at, (int)text.len,
                       "invalid port \"%.*s\"; use a number from 0 to %d", STR_ARG(text),
                       PORT_MAX);
    if (port > PORT_MAX)
        return err_set(reterr, RC_INVALID, (int)at, (int)text.len,
                       "port %.*s is out of range 0-%d", STR_ARG(text), PORT_MAX);
    *ret = (uint16_t)port;
    return RC_OK;
}

static enum rc add_address(struct config_addresses *list, const struct config_address *address,
                           struct err *reterr)
{
    for (int i = 0; i < list->count; i++)
        if (address->port != 0 && list->list[i].port == address->port &&
            strcmp(list->list[i].host, address->host) == 0)
            return err_set(reterr, RC_INVALID, 0, 0, "%s port %d appears twice", address->host,
                           address->port);
    if (list->count == CONFIG_ADDRESSES_MAX)
        return err_set(reterr, RC_LIMIT, 0, 0, "too many addresses; the limit is %d",
                       CONFIG_ADDRESSES_MAX);
    list->list[list->count++] = *address;
    return RC_OK;
}

static enum rc add_loopback(struct config_addresses *list, uint16_t port, struct err *reterr)
{
    static const struct config_address v4 = {"127.0.0.1", false, true, 0};
    static const struct config_address v6 = {"::1", true, true, 0};
    struct config_address both[2] = {v4, v6};
    enum rc rc = RC_OK;

    for (int i = 0; i < 2 && rc == RC_OK; i++) {
        both[i].port = port;
        rc = add_address(list, &both[i], reterr);
    }
    return rc;
}

static enum rc add_host(struct config_addresses *list, struct str host, bool is_v6,
                        uint16_t port, struct err *reterr)
{
    struct config_address address = {.is_v6 = is_v6, .port = port};
    char text[CONFIG_HOST_MAX] = "";
    unsigned char bytes[16];
    int family = is_v6 ? AF_INET6 : AF_INET;

    if (host.len < sizeof text && !memchr(host.ptr, '\0', host.len))
        memcpy(text, host.ptr, host.len);
    if (inet_pton(family, text, bytes) != 1)
        return err_set(reterr, RC_INVALID, is_v6 ? 1 : 0, (int)host.len,
                       "\"%.*s\" is not an IPv%d address; use 127.0.0.1:7227, [::1]:7227, or a "
                       "port alone for loopback",
                       STR_ARG(host), is_v6 ? 6 : 4);
    must(inet_ntop(family, bytes, address.host, sizeof address.host));
    address.is_loopback = is_v6 ? is_loopback_v6(bytes) : is_loopback_v4(bytes);
    return add_address(list, &address, reterr);
}

/* Splits "[host]:port" or "host:port"; the error names the missing part. */
static enum rc split_host_port(struct str text, struct str *ret_host, struct str *ret_port,
                               struct err *reterr)
{
    const char *colon = memrchr(text.ptr, ':', text.len);
    struct str host;

    if (text.ptr[0] == '[' && (!colon || colon == text.ptr + 1 || colon[-1] != ']'))
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "write an IPv6 address and its port as [::1]:7227");
    if (!colon)
        return err_set(reterr, RC_INVALID, (int)text.len, 0,
                       "missing port; write it as 127.0.0.1:7227");
    host = (struct str){text.ptr, (size_t)(colon - text.ptr)};
    if (host.len == 0)
        return err_set(reterr, RC_INVALID, 0, 1,
                       "missing address; use the port alone for loopback, 0.0.0.0:PORT or "
                       "[::]:PORT for all addresses");
    if (text.ptr[0] != '[' && memchr(host.ptr, ':', host.len))
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "put an IPv6 address in brackets, such as [::1]:7227");
    *ret_host = text.ptr[0] == '[' ? (struct str){host.ptr + 1, host.len - 2} : host;
    *ret_port = str_from(text, host.len + 1);
    return RC_OK;
}

static bool is_number(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!char_is_digit(text.ptr[i]))
            return false;
    return text.len > 0;
}

enum rc config_address_add(struct str text, struct config_addresses *list, struct err *reterr)
{
    struct config_addresses longer = *list;
    struct str host = text, port_text = text;
    uint16_t port = 0;
    enum rc rc;

    if (text.len == 0)
        return err_set(reterr, RC_INVALID, 0, 0, "missing address; write it as 127.0.0.1:7227");
    if (is_number(text)) {
        rc = read_port(text, 0, &port, reterr);
        if (rc == RC_OK)
            rc = add_loopback(&longer, port, reterr);
    } else {
        rc = split_host_port(text, &host, &port_text, reterr);
        if (rc == RC_OK)
            rc = read_port(port_text, (size_t)(port_text.ptr - text.ptr), &port, reterr);
        if (rc == RC_OK && str_eq_nocase(host, STR("localhost")))
            rc = add_loopback(&longer, port, reterr);
        else if (rc == RC_OK)
            rc = add_host(&longer, host, text.ptr[0] == '[', port, reterr);
    }
    if (rc == RC_OK)
        *list = longer;
    return rc;
}

void config_address_format(const struct config_address *address, struct buf *out)
{
    buf_printf(out, address->is_v6 ? "[%s]:%d" : "%s:%d", address->host, (int)address->port);
}

const struct config_address *config_address_exposed(const struct config_addresses *list)
{
    for (int i = 0; i < list->count; i++)
        if (!list->list[i].is_loopback)
            return &list->list[i];
    return NULL;
}
