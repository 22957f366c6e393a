/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connects to one host of a PostgreSQL URL.
 *
 * libpq tries several hosts in turn, but only its blocking functions limit the time for each.
 * A host that accepts a connection and then stays silent would take the time of all others.
 */
#pragma once

#include "db/db.h"

struct pg_conn; /* PGconn of libpq */

enum {
    POSTGRES_HOSTS_MAX = 16,
    POSTGRES_NAME_MAX = 320, /* a host name has at most 255 bytes; a socket's directory, 107 */
    POSTGRES_HOST_MS = 2000, /* for each host, if there are several */
    /*
     * Client and server both enforce the deadline, one of them this much later.  A writer gives
     * up before the server, which might not answer at all.  For a reader the server ends the
     * statement first, so that the connection stays usable.
     */
    POSTGRES_MARGIN_MS = 1000,
};

/* Returns the number of hosts, at least 1. */
enum rc postgres_hosts(const char *url, int *ret_count, struct err *reterr);

/* Writes "HOST:PORT", or the HOST alone if the URL has no port. */
void postgres_host_name(const char *url, int host, char ret[static POSTGRES_NAME_MAX]);

/*
 * Connects to a host; the URL was read before by postgres_hosts().  The deadline is
 * `connect_timeout` of the URL, otherwise POSTGRES_HOST_MS or, for a single host, that of the
 * options.  The connection is not in pipeline mode yet.
 */
enum rc postgres_connect(const char *url, int host, const struct db_options *options,
                         struct pg_conn **ret, struct err *reterr);
