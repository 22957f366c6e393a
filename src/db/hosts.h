/* SPDX-License-Identifier: Apache-2.0 */
/* What the connections of a process share about a PostgreSQL URL with several hosts. */
#pragma once

struct db_hosts {
    _Atomic int preferred; /* the host that was used last; connections try it first */
    /* A host cannot be used.  Called by the thread that connects; may be NULL. */
    void (*failed)(void *arg, const char *host, const char *why);
    void *arg;
};
