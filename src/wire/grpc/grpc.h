/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gRPC adds to HTTP/2, for calls of one message each way: its frame, its deadline, its
 * statuses and their words.  Messages themselves are bytes here.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"

enum grpc_status {
    GRPC_OK = 0,
    GRPC_CANCELLED = 1,
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_DEADLINE_EXCEEDED = 4,
    GRPC_NOT_FOUND = 5,
    GRPC_ALREADY_EXISTS = 6,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8, /* clients ask again by themselves: only for what passes */
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_ABORTED = 10,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14, /* likewise */
    GRPC_DATA_LOSS = 15,
    GRPC_UNAUTHENTICATED = 16,
};

enum {
    GRPC_PREFIX = 5,         /* bytes of a frame before its message                      */
    GRPC_TIMEOUT_DIGITS = 8, /* the specification's                                      */
    GRPC_STATUS_MAX = 4,     /* bytes of a status as text, with its end                  */
};

/* application/grpc, also with +proto or parameters. */
bool grpc_is_type(struct str content_type);

/* The one frame that the body must be. */
MUST_USE enum rc grpc_unframe(struct str body, bool *ret_is_compressed, struct str *ret,
                              struct err *reterr);

/* Appends what stands before a message of that length. */
void grpc_prefix(size_t length, struct buf *out);

/* grpc-timeout: "9932m", "30000000u", "5S".  False: it is none. */
bool grpc_timeout(struct str text, span *ret);

/* Appends as grpc-message has it: percent signs and all but printable ASCII are escaped. */
void grpc_message(struct str text, struct buf *out);
#define GRPC_MESSAGE_ROOM(len) (3 * (len) + 1)

/* And back: what is not escaped well stays as it is. */
void grpc_message_read(struct str text, struct buf *out);

/* grpc-status: "5".  A number that is none of the above, or none at all: GRPC_UNKNOWN. */
enum grpc_status grpc_status_read(struct str text);

/* "NOT_FOUND" */
const char *grpc_status_text(enum grpc_status status);

/* Of an answer without grpc-status, which somebody between gave, by its HTTP status. */
enum grpc_status grpc_status_of_http(int status);
