/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and compiles the expression or spec of `belfry next` and `belfry explain`.
 */
#include "cli/time/spec_argument.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/report.h"
#include "core/time/text.h"
#include "io/clock.h"
#include "model/spec_json.h"
#include "model/temporal_codec.h"

/* One spec as text and compiled; four times the largest need. */
#define SPEC_ARGUMENT_ARENA_MAX ((size_t)64 << 20)

enum rc spec_argument_number(const char *text, const char *what, int max, int *ret,
                             struct err *reterr)
{
    struct str rest = str_of(text);
    int64_t value = 0;

    if (str_take_number(&rest, max, &value) == 0 || rest.len > 0 || value < 1 || value > max)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "%s must be a number from 1 to %d, not \"%.100s\"", what, max, text);
    *ret = (int)value;
    return RC_OK;
}

enum rc spec_argument_dst(struct str text, struct dst_rule *ret, struct err *reterr)
{
    struct dst_rule rule = {.name = DST_CUSTOM};
    struct str gap_name, fold_name;
    enum gap gap;
    enum fold fold;
    enum rc rc;

    if (!str_cut(text, '/', &gap_name, &fold_name)) {
        rc = dst_parse(text, &rule.name, reterr);
    } else {
        rc = gap_parse(gap_name, &gap, reterr);
        rc = rc == RC_OK ? fold_parse(fold_name, &fold, reterr) : rc;
        if (rc == RC_OK)
            rule.custom = (struct dst_choice){(unsigned char)gap, (unsigned char)fold};
    }
    if (rc == RC_OK)
        *ret = rule;
    return rc;
}

/* Reads up to JSON_BYTES_MAX bytes and one more, which shows that the file is too large. */
static int read_file(struct spec_argument *s, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = arena_take(s->arena, JSON_BYTES_MAX + 1);
    size_t len = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    int cause;

    while (n > 0 && len < JSON_BYTES_MAX + 1) {
        n = read(fd, bytes + len, JSON_BYTES_MAX + 1 - len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            len += (size_t)n;
    }
    cause = errno;
    if (fd >= 0 && !is_stdin)
        close(fd);
    if (n < 0) {
        report_note("cannot read %s: %s", path, strerror(cause));
        return STATUS_FAILED;
    }
    s->text = (struct str){bytes, len};
    return STATUS_OK;
}

/* The expression that a compile error is about, for the caret. */
static struct str failing_expr(const struct spec_argument *s, const struct err *err)
{
    struct str field = str_of(err->field);
    int64_t i = 0;

    if (!str_starts(field, STR("cron[")))
        return (struct str){NULL, 0};
    field = str_from(field, sizeof "cron[" - 1);
    if (str_take_number(&field, SPEC_ENTRIES_MAX, &i) == 0 || i >= s->def.cron_count)
        return (struct str){NULL, 0};
    return s->def.cron[i].expr;
}

static int compile(struct spec_argument *s, struct str seed)
{
    struct zone_source source = {zoneinfo_find_in, &s->zones};
    struct err err;

    if (spec_compile(&s->def, seed, &source, s->arena, &s->spec, &err) != RC_OK) {
        struct str text = failing_expr(s, &err);

        /* With a single expression the field's name is not needed. */
        if (s->text.ptr == text.ptr)
            err.field[0] = '\0';
        return report_err(&err, text);
    }
    return STATUS_OK;
}

static int read_spec(struct spec_argument *s, const struct args *args, enum dialect dialect)
{
    json_auto_t *json = NULL;
    struct err err;
    int status = read_file(s, args->value[OPT_SPEC]);
    enum rc rc;

    if (status != STATUS_OK)
        return status;
    rc = json_read(s->text, &json, &err);
    if (rc != RC_OK)
        return report_err(&err, s->text);
    if (dialect == DIALECT_TEMPORAL)
        rc = temporal_def_from_json(json, s->arena, &s->def, &err);
    else
        rc = spec_from_json(json, s->arena, &s->def, &err);
    if (rc != RC_OK) {
        /* err.at counts in a string inside the text, not in the text. */
        err.at = -1;
        return report_err(&err, s->text);
    }
    return STATUS_OK;
}

/* --tz applies if the spec has no zone of its own; --dst replaces the spec's rule. */
static enum rc apply_options(struct spec_argument *s, const struct args *args,
                             struct err *reterr)
{
    if (args->value[OPT_TZ] && s->def.zone.len == 0)
        s->def.zone = str_of(args->value[OPT_TZ]);
    if (args->value[OPT_DST])
        return spec_argument_dst(str_of(args->value[OPT_DST]), &s->def.dst, reterr);
    return RC_OK;
}

static int read_argument(struct spec_argument *s, const struct args *args)
{
    enum dialect dialect = DIALECT_BELFRY;
    struct err err;

    if (args->value[OPT_DIALECT] &&
        dialect_parse(str_of(args->value[OPT_DIALECT]), &dialect, &err) != RC_OK)
        return report_err(&err, STR(""));
    if (args->value[OPT_SPEC]) {
        int status = read_spec(s, args, dialect);

        if (status != STATUS_OK)
            return status;
    } else {
        s->text = str_of(args->operand[0]);
        s->def = spec_def_empty();
        s->def.cron = arena_take(s->arena, sizeof *s->def.cron);
        s->def.cron[0] = (struct cron_def){.expr = s->text, .dialect = dialect};
        s->def.cron_count = 1;
        if (dialect == DIALECT_TEMPORAL)
            s->def.end = TEMPORAL_HORIZON;
    }
    if (apply_options(s, args, &err) != RC_OK)
        return report_err(&err, STR(""));
    return STATUS_OK;
}

/* The zone of an expression with its own zone becomes the zone of the whole spec. */
static int adopt_zone(struct spec_argument *s, const struct args *args, struct str seed)
{
    if (args->value[OPT_SPEC] || s->spec.zone_count != 2 || s->spec.entries[0].zone != 1)
        return STATUS_OK;
    s->def.zone = s->spec.zones[1].name;
    return compile(s, seed);
}

static int check_operands(const struct args *args)
{
    struct err err;

    if (args->value[OPT_SPEC] && args->operands > 0)
        err_set(&err, RC_INVALID, -1, 0, "give an expression or --spec, not both");
    else if (!args->value[OPT_SPEC] && args->operands == 0)
        err_set(&err, RC_INVALID, -1, 0, "missing argument: EXPR, such as '30 2 * * MON-FRI'");
    else if (args->operands > 1)
        err_set(&err, RC_INVALID, -1, 0,
                "expected one expression, not %d words; put it in quotes", args->operands);
    else
        return STATUS_OK;
    return report_err(&err, STR(""));
}

int spec_argument_open(struct spec_argument *s, const struct args *args)
{
    struct str seed = str_of(args->value[OPT_SEED]);
    struct moment after = {.at = 0};
    struct err err;
    int status;

    *s = (struct spec_argument){.arena = arena_new(SPEC_ARGUMENT_ARENA_MAX)};
    status = check_operands(args);
    if (status != STATUS_OK)
        return status;
    if (seed.len > SEED_MAX) {
        err_set(&err, RC_LIMIT, -1, 0, "--seed is %zu bytes; the limit is %d", seed.len,
                SEED_MAX);
        return report_err(&err, STR(""));
    }
    s->zones = zoneinfo_open(args->value[OPT_ZONEINFO], &err);
    if (!s->zones)
        return report_err(&err, STR(""));
    status = read_argument(s, args);
    status = status == STATUS_OK ? compile(s, seed) : status;
    status = status == STATUS_OK ? adopt_zone(s, args, seed) : status;
    if (status != STATUS_OK)
        return status;
    if (!args->value[OPT_AFTER]) {
        after.at = clock_now();
    } else if (moment_parse(str_of(args->value[OPT_AFTER]), &after, &err) != RC_OK) {
        err_in(&err, "--after");
        return report_err(&err, str_of(args->value[OPT_AFTER]));
    }
    s->after = moment_instant(&after, s->spec.zones[0].tz);
    s->ctx = spec_ctx(s->after);
    s->ctx.seed = seed;
    if (s->spec.not_named_count > 0)
        report_note("named calendars are stored on the server; here they count as empty");
    return STATUS_OK;
}

void spec_argument_close(struct spec_argument *s)
{
    zoneinfo_close(s->zones);
    arena_free(s->arena);
}

const struct tz *spec_argument_tz(const struct spec *spec, int entry)
{
    return spec->zones[entry < spec->entry_count ? spec->entries[entry].zone : 0].tz;
}
