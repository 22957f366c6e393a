/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Temporal server as the source of a move: its state, and the batches of RPCs that its two
 * files share.
 */
#pragma once

#include "cli/import/move.h"
#include "wire/temporal.pb-c.h"

struct from_temporal {
    struct rpc_batch *rpc;
    struct rpc_peer there, here;
    char *namespace_there, *namespace_here;
    char *ca, *cert, *key; /* PEM, owned; NULL: none */
    char bearer_there[CLIENT_TOKEN_MAX + 16], bearer_here[TOKEN_MAX + 16];
    char url_there[REMOTE_PATH_MAX], url_here[REMOTE_PATH_MAX];
    char identity[128];
    int64_t last_request;
};

/* RPCs about schedules of a group. */
struct rpc_set {
    struct rpc_call *calls;
    struct moved **owners;
    int count;
};

struct rpc_set rpc_set_new(struct move *move, int room);
void rpc_set_add(struct rpc_set *set, struct moved *owner, const char *method,
                 const ProtobufCMessage *request, const ProtobufCMessageDescriptor *answer);
/* Ends the schedules whose calls failed, as MOVE_INVALID if the server rejects the request. */
void rpc_set_run(struct move *move, const struct rpc_peer *peer, struct rpc_set *set);

/* A text for a message, terminated by a zero. */
char *rpc_text(struct move *move, struct str text);

/* from_temporal_times.c: the next times on both sides, and the last slot of the source. */
void from_temporal_read_times(struct move *move, struct moved *list, int count);
void from_temporal_read_last(struct move *move, struct moved *list, int count);
