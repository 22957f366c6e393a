/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML text and jansson's values, for files that users write.
 *
 * Follows the core schema of YAML 1.2: `no`, `on` and `12:30` are strings.  Features without a
 * meaning in JSON are rejected, not guessed at: anchors and aliases, tags, keys that are
 * duplicate or not scalar, .inf and .nan.  Codecs of particular objects do not belong here.
 */
#pragma once

#include "base/arena.h"
#include "wire/json/json.h"

/* Bytes of a text: a hundred thousand exported schedules. */
#define YAML_BYTES_MAX ((size_t)256 << 20)

struct yaml_reader; /* opaque */

struct yaml_document {
    json_t *value;  /* owned by the caller, to json_decref() */
    size_t at, len; /* its bytes in the text, from the start of a line */
    int line;       /* the number of that line, from 1 */
};

/* `text` must outlive the reader.  RC_LIMIT, or RC_INVALID if it is not UTF-8. */
MUST_USE enum rc yaml_open(struct str text, struct arena *arena, struct yaml_reader **ret,
                           struct err *reterr);
void yaml_close(struct yaml_reader *reader); /* accepts NULL */

/*
 * Reads the next document; *ret_any is false if there are no more.  Each has the limits of
 * JSON: JSON_DEPTH_MAX and JSON_VALUES_MAX.  After an error nothing more can be read.
 * reterr->at is the byte; the message has line and column.
 */
MUST_USE enum rc yaml_next(struct yaml_reader *reader, struct yaml_document *ret, bool *ret_any,
                           struct err *reterr);

/*
 * The line, from 1, of the value at `path`, such as "spec.cron[0].expr", in the first document
 * of a text that was read before.  If the path does not exist, the line of its last existing
 * part.
 */
int yaml_line(struct str text, const char *path);

/* One document in block style without markers.  Reading it gives an equal value. */
void yaml_print(const json_t *value, struct buf *out);
