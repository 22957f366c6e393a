/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a request is from, before anything is done for it.
 *
 * What they may then do is in the table of operations, and checked by call_begin().  Without
 * any token this machine itself may everything; from the first token on everybody shows one.
 * No clock, no socket.
 */
#pragma once

#include "api/access/keyring.h"
#include "api/call/call.h"

/* What the door knows. */
struct auth {
    struct keyring *keys;    /* NULL: not read yet                                      */
    const struct str *hosts; /* names of this server, beside those of the machine itself */
    int host_count;
};

/*
 * Sets call->caller and call->by of a call whose operation is known.
 * `is_local`: the request came from this machine.  False: it is refused and answered, and
 * call->denied says so; true for everybody where the operation has no right to ask for.
 */
bool auth_admit(struct call *call, const struct auth *auth, const struct http1_request *request,
                bool is_local);

/* The id that the client gave, where it is one; else a new one. */
void auth_name_request(struct call *call, const struct http1_request *request);
