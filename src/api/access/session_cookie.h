/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cookie of a browser's session.
 *
 * Its name contains the port that the browser uses: the ports of a host share their cookies,
 * and one host may have several servers.
 */
#pragma once

#include "base/buf.h"
#include "wire/http1/http1.h"

enum { SESSION_COOKIE_MAX = 256 }; /* bytes of a Set-Cookie field */

/* Returns false if the request has no such cookie. */
bool session_cookie_find(const struct http1_request *request, struct str *ret);

struct session_cookie {
    struct str text; /* empty: the browser deletes the cookie */
    int64_t age_s;
    bool is_secure; /* the browser uses TLS */
};
/* The value of Set-Cookie in the answer to the request. */
void session_cookie_print(const struct http1_request *request,
                          const struct session_cookie *cookie, struct buf *out);
