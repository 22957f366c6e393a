/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of gRPC on top of HTTP/2, for calls with one message each way: the frame, the
 * deadline, statuses and their texts.  Messages are just bytes here.
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
    /* clients retry automatically: only for temporary conditions */
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_ABORTED = 10,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14, /* clients retry, as GRPC_RESOURCE_EXHAUSTED */
    GRPC_DATA_LOSS = 15,
    GRPC_UNAUTHENTICATED = 16,
};

enum {
    GRPC_PREFIX = 5,         /* bytes of a frame before its message */
    GRPC_TIMEOUT_DIGITS = 8, /* the specification's maximum */
    GRPC_STATUS_MAX = 4,     /* bytes of a status as text, with a zero after it */
};

/* application/grpc, also with +proto or parameters. */
bool grpc_is_type(struct str content_type);

/* The body must be exactly one frame. */
MUST_USE enum rc grpc_unframe(struct str body, bool *ret_is_compressed, struct str *ret,
                              struct err *reterr);

/* Appends the prefix of a message of that length. */
void grpc_prefix(size_t length, struct buf *out);

/* grpc-timeout: "9932m", "30000000u", "5S".  False: invalid. */
bool grpc_timeout(struct str text, span *ret);

/*
 * Appends in the form of grpc-message: percent signs and everything but printable ASCII are
 * escaped.
 */
void grpc_escape_message(struct str text, struct buf *out);
#define GRPC_MESSAGE_ROOM(len) (3 * (len) + 1)

/* The reverse; invalid escapes are copied unchanged. */
void grpc_unescape_message(struct str text, struct buf *out);

/* grpc-status: "5".  Any other number, or none: GRPC_UNKNOWN. */
enum grpc_status grpc_status_read(struct str text);

/* "NOT_FOUND" */
const char *grpc_status_text(enum grpc_status status);

/* The status of an answer without grpc-status, sent by an intermediary, by its HTTP status. */
enum grpc_status grpc_status_of_http(int status);
