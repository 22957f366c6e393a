/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry explain`: describes an expression, and explains why a time is or is not a slot.
 */
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/time/findings.h"
#include "core/time/text.h"

enum { NEXT_DEFAULT = 5, WEEK_DAYS = 7 };

#define YEAR (366 * SPAN_DAY)

enum { OPT_AT = OPT_SHARED, OPT_COUNT };

static void find_next(struct findings *f, int most)
{
    const struct spec_argument *s = f->argument;
    struct spec_walk walk;

    spec_walk_begin(&walk, &s->spec, &s->ctx, s->after);
    while (f->next_count < most && spec_walk_next(&walk, &f->next[f->next_count]))
        f->next_count++;
    f->per_day = (spec_count(&s->spec, &s->ctx, s->after,
                             instant_after(s->after, WEEK_DAYS * SPAN_DAY)) +
                  WEEK_DAYS / 2) /
                 WEEK_DAYS;
}

static void find_moment(struct findings *f, const struct moment *at)
{
    const struct spec_argument *s = f->argument;

    f->moment[0] = at->at;
    if (at->is_local)
        f->moment_count = explain_local(&s->spec, at->local, f->moment);
    else
        f->moment_count = 1;
    if (f->moment_count == 0) {
        f->in_gap = true;
        f->moment_count = 1;
        explain_gap(&s->spec, &s->ctx, at->local, &f->why[0]);
        return;
    }
    for (int i = 0; i < f->moment_count; i++)
        explain_instant(&s->spec, &s->ctx, f->moment[i], &f->why[i]);
}

/*
 * Lists the clock changes of the coming year.  If none of them affects the schedule, finds the
 * first of the following year that does.
 */
static void find_changes(struct findings *f)
{
    static struct explain_change second[EXPLAIN_CHANGES_MAX];
    const struct spec_argument *s = f->argument;
    instant end;
    int count;

    f->changes_until = instant_after(s->after, YEAR);
    f->change_count = explain_changes(&s->spec, &s->ctx, s->after, f->changes_until,
                                      f->changes);
    end = instant_after(f->changes_until, YEAR);
    count = explain_changes(&s->spec, &s->ctx, f->changes_until, end, second);
    f->later_change = INSTANT_NEVER;
    for (int i = 0; i < f->change_count; i++)
        if (f->changes[i].touches)
            return;
    for (int i = 0; i < count; i++)
        if (second[i].touches && instant_of_seconds(second[i].at) < f->later_change)
            f->later_change = instant_of_seconds(second[i].at);
}

static enum rc read_options(const struct args *args, int *ret_most, struct moment *ret_at,
                            struct err *reterr)
{
    enum rc rc = RC_OK;

    *ret_most = NEXT_DEFAULT;
    if (args->value[OPT_N])
        rc = spec_argument_number(args->value[OPT_N], "-n", FINDINGS_NEXT_MAX, ret_most,
                                  reterr);
    if (rc != RC_OK || !args->value[OPT_AT])
        return rc;
    rc = moment_parse(str_of(args->value[OPT_AT]), ret_at, reterr);
    if (rc != RC_OK)
        err_in(reterr, "--at");
    return rc;
}

static void gather(struct findings *f, const struct args *args, int most,
                   const struct moment *at)
{
    struct buf description = BUF(f->description);

    describe_spec(&f->argument->spec, &description);
    find_next(f, most);
    if (args->value[OPT_AT])
        find_moment(f, at);
    find_changes(f);
    f->warning_count = explain_warnings(&f->argument->spec, &f->argument->def, f->warnings);
}

static int explain_run(const struct args *args)
{
    static struct findings f; /* a few hundred KiB: too large for the stack */
    static struct printer out;
    struct spec_argument argument;
    struct moment at;
    struct err err;
    int most, status = spec_argument_open(&argument, args);

    if (status == STATUS_OK && read_options(args, &most, &at, &err) != RC_OK)
        status = report_err(&err, str_of(args->value[OPT_AT]));
    if (status == STATUS_OK) {
        f.argument = &argument;
        gather(&f, args, most, &at);
        printer_open(&out, STDOUT_FILENO);
        if (args->value[OPT_JSON])
            findings_print_json(&f, &out);
        else
            findings_print(&f, &out);
        status = printer_close(&out);
    }
    spec_argument_close(&argument);
    return status;
}

static const struct option explain_options[] = {
    SPEC_ARGUMENT_OPTIONS,
    [OPT_AT] = {"at", 't', "TIME", NULL, "explain why TIME is or is not a slot"},
};

const struct command explain_command = {
    .name = "explain",
    .usage = "[OPTION]... EXPR",
    .summary = "Explain an expression in words",
    .about = "Prints a description, the next times, whether the time of --at is a slot and\n"
             "why, the effect of the clock changes of the coming year, and warnings about\n"
             "common mistakes.  `belfry help next` describes TIME and DIALECT.\n",
    .examples = "  belfry explain '0 0 13 * FRI'\n"
                "  belfry explain --tz America/New_York --at 2027-03-14T02:30 '30 2 * * *'\n"
                "  belfry explain --spec nightly.json --at 2027-12-25T02:30:00Z\n",
    .options = explain_options,
    .option_count = OPT_COUNT,
    .own_from = OPT_SHARED,
    .run = explain_run,
};
