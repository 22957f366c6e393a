/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends the exchanges of a test to a file, one line of JSON each.
 */
#include "record.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 512 };

/* NULL: exchanges are not recorded. */
static FILE *open_record(void)
{
    const char *dir = getenv("BELFRY_ANSWERS");
    char path[PATH_BYTES];

    if (!dir)
        return NULL;
    snprintf(path, sizeof path, "%s/%ld.jsonl", dir, (long)getpid());
    return fopen(path, "a");
}

/* Invalid UTF-8 becomes null. */
static json_t *new_text(struct str text)
{
    json_t *value = json_stringn(text.ptr ? text.ptr : "", text.len);

    return value ? value : json_null();
}

void record_exchange(const struct exchange_record *record)
{
    FILE *file = open_record();
    json_t *line;

    if (!file)
        return;
    line = json_pack("{s:o, s:o, s:i, s:s?, s:o}", "what", new_text(str_of(record->what)),
                     "body", new_text(str_of(record->body)), "status", record->status, "type",
                     record->content_type, "answer", new_text(record->answer));
    if (line) {
        json_dumpf(line, file, JSON_COMPACT);
        fputc('\n', file);
    }
    json_decref(line);
    fclose(file);
}
