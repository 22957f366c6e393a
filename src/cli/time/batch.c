/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry next --batch`: reads queries line by line and prints the answers in the same order.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/report.h"
#include "cli/time/batch_line.h"
#include "cli/time/spec_argument.h"
#include "core/time/text.h"
#include "io/clock.h"

/* A line of the maximum size, and what one read appends to it. */
enum { ROOM = BATCH_LINE_MAX + 256 * 1024 };

struct line_reader {
    int fd;
    struct printer *out; /* flushed before blocking, for interactive use */
    char *bytes;         /* ROOM                                         */
    size_t from, to;     /* unread bytes                                 */
    size_t scanned;      /* no line break between `from` and here        */
    bool ended;
    bool too_long; /* the beginning of the current line was discarded */
    int error;
};

/* Reads once; discards a line that exceeds BATCH_LINE_MAX. */
static void read_more(struct line_reader *r)
{
    struct pollfd ready = {.fd = r->fd, .events = POLLIN};
    ssize_t n;

    memmove(r->bytes, r->bytes + r->from, r->to - r->from);
    r->to -= r->from;
    r->from = 0;
    if (r->to > BATCH_LINE_MAX) {
        r->too_long = true;
        r->to = 0;
    }
    r->scanned = r->to;
    if (poll(&ready, 1, 0) == 0)
        printer_flush(r->out);
    n = read(r->fd, r->bytes + r->to, ROOM - r->to);
    if (n > 0)
        r->to += (size_t)n;
    else if (n == 0)
        r->ended = true;
    else if (errno != EINTR)
        r->error = errno;
}

/* The next line without its line break; false at the end of the input or after a read error. */
static bool next_line(struct line_reader *r, struct str *ret, bool *ret_too_long)
{
    char *end;
    size_t len;

    r->too_long = false;
    r->scanned = r->from;
    while (!(end = memchr(r->bytes + r->scanned, '\n', r->to - r->scanned))) {
        if (r->ended || r->error)
            break;
        read_more(r);
    }
    if (!end && (r->error || (r->to == r->from && !r->too_long)))
        return false;
    len = end ? (size_t)(end - r->bytes) - r->from : r->to - r->from;
    *ret = (struct str){r->bytes + r->from, len};
    *ret_too_long = r->too_long || len > BATCH_LINE_MAX;
    r->from += len + (end ? 1 : 0);
    return true;
}

static void answer_all(struct batch *batch, struct line_reader *reader)
{
    struct str line;
    bool too_long;
    struct err err;

    while (!printer_has_failed(batch->out) && next_line(reader, &line, &too_long)) {
        batch->line++;
        if (too_long) {
            err_set(&err, RC_LIMIT, -1, 0, "line exceeds %d bytes", BATCH_LINE_MAX);
            batch_refuse(batch, &err);
        } else if (str_trim(line).len == 0) {
            err_set(&err, RC_INVALID, -1, 0, "empty line");
            batch_refuse(batch, &err);
        } else {
            batch_line(batch, line);
        }
    }
}

/* The command line gives the defaults of all lines. */
static enum rc read_defaults(const struct args *args, struct batch_query *q, struct err *reterr)
{
    struct moment after;
    enum rc rc = RC_OK;

    *q = (struct batch_query){
        .dialect = DIALECT_BELFRY, .after = clock_now(), .n = BATCH_QUERY_N_DEFAULT};
    q->zone = str_of(args->value[OPT_TZ]);
    q->seed = str_of(args->value[OPT_SEED]);
    if (q->seed.len > SEED_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "--seed is %zu bytes; the limit is %d",
                       q->seed.len, SEED_MAX);
    if (args->value[OPT_DIALECT])
        rc = dialect_parse(str_of(args->value[OPT_DIALECT]), &q->dialect, reterr);
    if (rc == RC_OK && args->value[OPT_DST])
        rc = spec_argument_dst(str_of(args->value[OPT_DST]), &q->dst, reterr);
    if (rc == RC_OK && args->value[OPT_N])
        rc = spec_argument_number(args->value[OPT_N], "-n", BATCH_QUERY_N_MAX, &q->n, reterr);
    if (rc != RC_OK || !args->value[OPT_AFTER])
        return rc;
    rc = moment_parse(str_of(args->value[OPT_AFTER]), &after, reterr);
    if (rc == RC_OK && after.is_local)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--after with --batch must be an instant, such as 2026-01-01T00:00:00Z");
    if (rc == RC_OK)
        q->after = after.at;
    return rc;
}

static int answer_and_close(struct batch *batch, struct line_reader *reader, const char *path)
{
    int status;

    answer_all(batch, reader);
    status = printer_close(batch->out);
    if (reader->error) {
        report_note("cannot read %s: %s", path, strerror(reader->error));
        return STATUS_FAILED;
    }
    return status;
}

int batch_run(const char *path, const struct args *args)
{
    static struct printer out;
    bool is_stdin = strcmp(path, "-") == 0;
    static struct batch batch;
    struct line_reader reader = {.out = &out};
    struct err err;
    int status;

    batch.out = &out;
    if (args->operands > 0 || args->value[OPT_SPEC]) {
        report_note("--batch cannot be used with EXPR or --spec; each line has expr or spec");
        return STATUS_USAGE;
    }
    if (read_defaults(args, &batch.defaults, &err) != RC_OK)
        return report_err(&err, STR(""));
    batch.zones = zoneinfo_open(args->value[OPT_ZONEINFO], &err);
    if (!batch.zones)
        return report_err(&err, STR(""));
    reader.fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (reader.fd < 0)
        reader.error = errno;
    reader.bytes = malloc(ROOM);
    must(reader.bytes != NULL);
    batch.arena = arena_new(BATCH_ARENA_MAX);
    printer_open(&out, STDOUT_FILENO);
    status = answer_and_close(&batch, &reader, path);
    if (!is_stdin && reader.fd >= 0)
        close(reader.fd);
    free(reader.bytes);
    arena_free(batch.arena);
    zoneinfo_close(batch.zones);
    return status;
}
