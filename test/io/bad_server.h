/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server on loopback that misbehaves like external servers do.
 *
 * It reads requests properly, records them, and answers each path by a script.  It runs on the
 * loop of the test.
 */
#pragma once

#include <stdbool.h>
#include <uv.h>

#include "base/str.h"

enum {
    BAD_SEEN_MAX = 256,
    BAD_FIELDS_MAX = 4096,
    BAD_BODY_MAX = 4096,
    BAD_SCRIPTS_MAX = 32,
};

enum bad_end {
    BAD_STAYS,  /* waits for the next request */
    BAD_CLOSES, /* an orderly end */
    BAD_RESETS, /* RST */
    BAD_FLOODS, /* sends `again` forever, as fast as it is read */
    BAD_DRIPS,  /* sends `again` forever, once every 5 ms */
};

struct bad_script {
    const char *path;
    struct str bytes;
    enum bad_end end;
    struct str again;
};

struct bad_seen {
    int connection;              /* the first is 1 */
    char line[256];              /* "POST /path" */
    char fields[BAD_FIELDS_MAX]; /* "Name: value\n" of each */
    char body[BAD_BODY_MAX];
};

struct bad_server {
    uv_loop_t *loop;
    uv_tcp_t tcp;
    int port;
    bool is_mute; /* accepts connections and does nothing with them */
    int connections, open_now, open_most;
    struct bad_script scripts[BAD_SCRIPTS_MAX];
    int script_count;
    /* Returns a script that stays valid until the next request; NULL: use `scripts`. */
    const struct bad_script *(*answers)(void *arg, const struct bad_seen *seen);
    void *arg;
    struct bad_seen seen[BAD_SEEN_MAX];
    int seen_count;
    struct bad_peer *peers;
};

void bad_server_start(struct bad_server *server, uv_loop_t *loop);
void bad_server_stop(struct bad_server *server);

/* Answers that path by the script from now on; every other with an empty 200. */
void bad_server_script(struct bad_server *server, struct bad_script script);

/* A copy of the field's value, valid until the next call; NULL if the request lacks it. */
const char *bad_seen_field(const struct bad_seen *seen, const char *name);
