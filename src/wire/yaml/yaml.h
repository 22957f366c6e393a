/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML text ↔ jansson's values, for files that people write.
 *
 * Read by the core schema of YAML 1.2: `no`, `on` and `12:30` are strings, as they look.  What
 * has no meaning in JSON is refused and not guessed at: anchors and aliases, tags, keys that
 * stand twice or are no scalars, .inf and .nan.  No codec of a particular object lives here.
 */
#pragma once

#include "base/arena.h"
#include "wire/json/json.h"

/* Bytes of a text: a hundred thousand schedules as they are exported. */
#define YAML_BYTES_MAX ((size_t)256 << 20)

struct yaml_reader; /* opaque */

struct yaml_document {
    json_t *value;  /* the caller's, to json_decref()                             */
    size_t at, len; /* the bytes that it stands in, from the start of a line       */
    int line;       /* the number of that line, from 1                            */
};

/* `text` must outlive the reader.  RC_LIMIT, or RC_INVALID when it is not UTF-8. */
MUST_USE enum rc yaml_open(struct str text, struct arena *arena, struct yaml_reader **ret,
                           struct err *reterr);
void yaml_close(struct yaml_reader *reader); /* accepts NULL */

/*
 * The next document; *ret_any is false when there is none.  Each is bounded as JSON is: by
 * JSON_DEPTH_MAX and JSON_VALUES_MAX.  After an error nothing more can be read.  reterr->at is
 * the byte; the message has line and column.
 */
MUST_USE enum rc yaml_next(struct yaml_reader *reader, struct yaml_document *ret, bool *ret_any,
                           struct err *reterr);

/*
 * The line, from 1, of what `path` names in the first document of a text that was read before:
 * "spec.cron[0].expr".  Where the path leads nowhere, that of the last part that is there.
 */
int yaml_line(struct str text, const char *path);

/* One document in block style, with no marks around it.  Read again it is equal. */
void yaml_print(const json_t *value, struct buf *out);
