/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for Temporal: starts, shows, cancels and terminates workflows over gRPC, lets
 * polls wait for an end, and can fail on demand.  Its only namespace is "default".
 */
#pragma once

#include "io/net/listener.h"
#include "wire/grpc/grpc.h"
#include "wire/grpc/proto.h"
#include "wire/temporal.pb-c.h"

enum {
    TEMPORAL_FLOWS_MAX = 64,
    TEMPORAL_FAULTS_MAX = 64,
    TEMPORAL_SEEN_MAX = 256,
    TEMPORAL_WAITING_MAX = 16,
};

enum temporal_end {
    TEMPORAL_RUNNING,
    TEMPORAL_COMPLETED,
    TEMPORAL_FAILED,
    TEMPORAL_TIMED_OUT,
    TEMPORAL_CANCELED,
    TEMPORAL_TERMINATED,
    TEMPORAL_CONTINUED,
};

/* One run of a workflow. */
struct temporal_run {
    const char *id, *request_id, *identity; /* in the server's arena             */
    char run[32], next[32];                 /* `next`: the run that continues it */
    enum temporal_end end;
    const char *text;   /* a result as JSON, or a reason */
    struct str failure; /* packed; empty: made of `text` */
    bool is_cancel_requested;
};

/* The fault of one request. */
struct temporal_fault {
    const char *method;
    enum { FAULT_STATUS, FAULT_CUT, FAULT_HTTP, FAULT_SILENT, FAULT_NO_STATUS } kind;
    int status; /* of gRPC or HTTP */
    const char *words;
    bool is_done; /* carries out the request anyway */
};

struct temporal_seen {
    const char *method;
    ProtobufCMessage *message;
    const char *fields; /* "name: value\n…" */
};

struct temporal {
    uv_loop_t *loop;
    struct listener *listener;
    struct arena *arena;
    uint16_t port;
    struct temporal_run runs[TEMPORAL_FLOWS_MAX];
    int count;
    struct temporal_fault faults[TEMPORAL_FAULTS_MAX];
    int fault_count;
    struct temporal_seen seen[TEMPORAL_SEEN_MAX];
    int seen_count;
    struct exchange *waiting[TEMPORAL_WAITING_MAX], *silent[TEMPORAL_WAITING_MAX];
    int waits_for[TEMPORAL_WAITING_MAX]; /* indexes of `runs` */
    int waiting_count, silent_count;
    bool is_closed;
};

void temporal_open(struct temporal *server, uv_loop_t *loop);
void temporal_close(struct temporal *server);

/* Stops and starts again at the same address with the same workflows. */
void temporal_restart(struct temporal *server);

/* Adds a fault for the next `count` requests of the method. */
void temporal_fail(struct temporal *server, int count, struct temporal_fault fault);

/* Ends a run and answers the polls that wait for it. */
void temporal_end(struct temporal *server, int run, enum temporal_end end, const char *text);

/* Answers all waiting polls without an event. */
void temporal_answer_polls(struct temporal *server);

int temporal_count_seen(const struct temporal *server, const char *method);

/* Returns the nth request of a method, from 0; fails the test if there is none. */
const struct temporal_seen *temporal_nth(const struct temporal *server, const char *method,
                                         int n);
