/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authentication of a request, before it is processed.
 *
 * call_begin() then checks its rights by the table of operations.  While no token exists, local
 * clients have full access and remote clients have none; once one exists, every client needs a
 * token, or the cookie of a session (only in the native API).  This code uses no clock and no
 * socket.
 */
#pragma once

#include "api/access/keyring.h"
#include "api/call/call.h"

/* The state of the thread that receives requests. */
struct auth {
    struct keyring *keys;    /* NULL: not read yet                                     */
    const struct str *hosts; /* host names of this server, in addition to localhost    */
    int host_count;
    bool is_tls; /* the connection of the request */
};

/*
 * Sets call->caller and call->by of a call whose operation is set.  `is_local`: the request
 * came from this machine.  Returns false after it has set the error answer (and call->denied if
 * access was denied).  An operation that needs no right needs no token.
 */
bool auth_admit(struct call *call, const struct auth *auth, const struct http1_request *request,
                bool is_local);

/* Sets call->request_id: the client's X-Request-Id if it is valid, else a new id. */
void auth_name_request(struct call *call, const struct http1_request *request);
