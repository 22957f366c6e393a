/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the cookie of a session (RFC 6265) and prints it.
 */
#include "api/access/session_cookie.h"

#include <inttypes.h>

#define COOKIE STR("belfry_session")

/* Cuts `head` off the front of *text. */
static bool cut_front(struct str *text, struct str head)
{
    if (!str_starts(*text, head))
        return false;
    *text = str_from(*text, head.len);
    return true;
}

/* "belfry_session_7227=VALUE"; the port is missing if the request has none. */
static bool is_ours(struct str pair, struct str port, struct str *ret)
{
    if (!cut_front(&pair, COOKIE) ||
        (port.len > 0 && (!cut_front(&pair, STR("_")) || !cut_front(&pair, port))) ||
        !cut_front(&pair, STR("=")))
        return false;
    *ret = pair;
    return true;
}

/* HTTP/2 may split the field. */
bool session_cookie_find(const struct http1_request *request, struct str *ret)
{
    for (int i = 0; i < request->field_count; i++) {
        struct str rest = request->fields[i].value, pair;
        bool has_more = str_eq_nocase(request->fields[i].name, STR("Cookie"));

        while (has_more) {
            has_more = str_cut(rest, ';', &pair, &rest);
            if (is_ours(str_trim(has_more ? pair : rest), request->port, ret))
                return true;
        }
    }
    return false;
}

void session_cookie_print(const struct http1_request *request,
                          const struct session_cookie *cookie, struct buf *out)
{
    buf_str(out, COOKIE);
    if (request->port.len > 0) {
        buf_char(out, '_');
        buf_str(out, request->port);
    }
    buf_char(out, '=');
    buf_str(out, cookie->text);
    buf_printf(out, "; Path=/; Max-Age=%" PRId64 "; HttpOnly; SameSite=Strict%s",
               cookie->text.len > 0 ? cookie->age_s : 0, cookie->is_secure ? "; Secure" : "");
}
