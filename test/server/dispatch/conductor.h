/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for Conductor: starts, shows, finds and terminates workflows over HTTP, and can
 * fail on demand.  Its answers have the format of the real one.
 */
#pragma once

#include "../../io/bad_server.h"

enum { CONDUCTOR_FLOWS_MAX = 400, CONDUCTOR_FAULTS_MAX = 64, CONDUCTOR_ANSWER_MAX = 4 << 20 };

struct conductor_flow {
    char id[32], key[80], correlation[80], input[1024];
    const char *status, *reason, *output;
};

enum { CONDUCTOR_HANGS = -1 }; /* an answer begins but never ends */

/* The fault of one request. */
struct conductor_fault {
    const char *method;
    int status; /* of the answer; 0: resets the connection; CONDUCTOR_HANGS */
    const char *body;
    bool is_done; /* carries out the request anyway */
};

struct conductor {
    struct bad_server server;
    struct conductor_flow flows[CONDUCTOR_FLOWS_MAX];
    int count;
    bool supports_keys; /* a start with a known key returns the known workflow */
    bool supports_correlated, supports_search, supports_running;
    bool hides_inputs; /* in lists, as Conductor does if it stores large inputs elsewhere */
    int hidden; /* lists that do not show the newest workflow yet: it is still being made */
    struct conductor_fault faults[CONDUCTOR_FAULTS_MAX];
    int fault_count;
    struct bad_script script;
    char *answer;
};

void conductor_start(struct conductor *conductor, uv_loop_t *loop);
void conductor_stop(struct conductor *conductor);

/* Adds a fault for the next `count` requests of the method. */
void conductor_fail(struct conductor *conductor, int count, struct conductor_fault fault);

/* The number of requests whose first line begins with `line`. */
int conductor_seen(const struct conductor *conductor, const char *line);
