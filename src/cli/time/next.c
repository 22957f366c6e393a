/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry next`: prints the next times of an expression or spec.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/printer.h"
#include "cli/frame/report.h"
#include "cli/time/batch_line.h"
#include "cli/time/spec_argument.h"
#include "core/explain/explain.h"
#include "core/time/text.h"

enum {
    NEXT_DEFAULT = 5,
    NEXT_MAX = 100000, /* one time per minute for 69 days */
};

enum { OPT_UNTIL = OPT_SHARED, OPT_LOCAL, OPT_BATCH, OPT_COUNT };

struct listing {
    const struct spec_argument *argument;
    struct printer *out;
    bool local, json;
    instant until;
    int most;
    bool reports_cut; /* --until was given without -n */
};

static void format_local(const struct spec *spec, const struct slot *slot, struct buf *out)
{
    const struct tz *tz = spec_argument_tz(spec, slot->entry);

    instant_format_local(slot->due, tz_offset(tz, instant_seconds(slot->due)), out);
}

static void print_plain(const struct listing *l, const struct slot *slot, struct str note)
{
    char text[2 * INSTANT_TEXT_MAX + 8];
    struct buf line = BUF(text);

    instant_format(slot->due, &line);
    if (l->local) {
        buf_text(&line, "  ");
        format_local(&l->argument->spec, slot, &line);
    }
    printer_str(l->out, buf_as_str(&line));
    if (note.len > 0) {
        printer_text(l->out, l->out->colours ? "  \033[2m# " : "  # ");
        printer_str(l->out, note);
        printer_text(l->out, l->out->colours ? "\033[0m" : "");
    }
    printer_text(l->out, "\n");
}

static void print_instant(struct printer *out, const char *key, instant t)
{
    char text[INSTANT_TEXT_MAX];
    struct buf buf = BUF(text);

    instant_format(t, &buf);
    printer_printf(out, "\"%s\":\"%s\"", key, text);
}

static void print_json(const struct listing *l, const struct slot *slot, struct str note)
{
    char text[INSTANT_TEXT_MAX], name[32];
    struct buf local = BUF(text), entry = BUF(name);

    format_local(&l->argument->spec, slot, &local);
    explain_entry(&l->argument->spec, slot->entry, &entry);
    printer_text(l->out, "{");
    print_instant(l->out, "due", slot->due);
    printer_text(l->out, ",");
    print_instant(l->out, "slot", slot->at);
    printer_printf(l->out, ",\"local\":\"%s\",\"entry\":\"%s\"", text, name);
    if (note.len > 0) {
        printer_text(l->out, ",\"note\":");
        printer_json(l->out, note);
    }
    printer_text(l->out, "}\n");
}

/* What moved the slot: a clock change, a window, jitter. */
static void write_note(const struct spec_argument *s, const struct slot *slot, bool json,
                       struct buf *note)
{
    explain_note(&s->spec, &s->ctx, slot, note);
    if (slot->due == slot->at || json)
        return;
    buf_text(note, note->len > 0 ? "; slot " : "slot ");
    instant_format(slot->at, note);
}

static int print_slots(struct listing *l)
{
    const struct spec_argument *s = l->argument;
    struct spec_walk walk;
    struct slot slot;
    int count = 0;

    spec_walk_begin(&walk, &s->spec, &s->ctx, s->after);
    while (!printer_has_failed(l->out) && spec_walk_next(&walk, &slot) && slot.at <= l->until) {
        char text[EXPLAIN_TEXT_MAX] = "";
        struct buf note = BUF(text);

        if (count == l->most) {
            if (l->reports_cut)
                report_note("stopped after %d times; more follow before --until", l->most);
            break;
        }
        write_note(s, &slot, l->json, &note);
        if (l->json)
            print_json(l, &slot, buf_as_str(&note));
        else
            print_plain(l, &slot, buf_as_str(&note));
        count++;
    }
    return count;
}

/* Prints why there are no times to standard error, so that standard output stays empty. */
static void report_none(const struct listing *l)
{
    const struct spec_argument *s = l->argument;
    char text[EXPLAIN_TEXT_MAX + 64];
    struct buf why = BUF(text);
    struct slot slot;

    if (spec_next(&s->spec, &s->ctx, s->after, &slot)) {
        buf_text(&why, "none before --until; the next one is ");
        instant_format(slot.due, &why);
    } else {
        buf_text(&why, "never: ");
        explain_never(&s->spec, &s->ctx, s->after, &why);
    }
    buf_char(&why, '\n');
    fputs(text, stderr);
}

static enum rc read_listing(const struct args *args, struct listing *l, struct err *reterr)
{
    struct moment until;
    enum rc rc = RC_OK;

    l->local = args->value[OPT_LOCAL] != NULL;
    l->json = args->value[OPT_JSON] != NULL;
    l->until = INSTANT_NEVER;
    l->most = NEXT_DEFAULT;
    l->reports_cut = args->value[OPT_UNTIL] && !args->value[OPT_N];
    if (args->value[OPT_N])
        rc = spec_argument_number(args->value[OPT_N], "-n", NEXT_MAX, &l->most, reterr);
    else if (args->value[OPT_UNTIL])
        l->most = NEXT_MAX;
    if (rc != RC_OK || !args->value[OPT_UNTIL])
        return rc;
    rc = moment_parse(str_of(args->value[OPT_UNTIL]), &until, reterr);
    if (rc == RC_OK)
        l->until = moment_instant(&until, l->argument->spec.zones[0].tz);
    else
        err_in(reterr, "--until");
    return rc;
}

static int next_run(const struct args *args)
{
    static struct printer out;
    struct spec_argument argument;
    struct listing listing = {.argument = &argument, .out = &out};
    struct err err;
    int status;

    if (args->value[OPT_BATCH])
        return batch_run(args->value[OPT_BATCH], args);
    status = spec_argument_open(&argument, args);
    if (status == STATUS_OK && read_listing(args, &listing, &err) != RC_OK) {
        const char *until = args->value[OPT_UNTIL];

        status = report_err(&err, str_of(until));
    }
    if (status == STATUS_OK) {
        printer_open(&out, STDOUT_FILENO);
        if (print_slots(&listing) == 0)
            report_none(&listing);
        status = printer_close(&out);
    }
    spec_argument_close(&argument);
    return status;
}

static const struct option next_options[] = {
    SPEC_ARGUMENT_OPTIONS,
    [OPT_UNTIL] = {"until", 'u', "TIME", NULL,
                   "stop after TIME; without -n print all times up to it"},
    [OPT_LOCAL] = {"local", 'l', NULL, NULL, "also print each time in its time zone"},
    [OPT_BATCH] = {"batch", 'b', "FILE", NULL,
                   "read one JSON query per line, print one JSON answer per\n"
                   "line; - is standard input"},
};

const struct command next_command = {
    .name = "next",
    .usage = "[OPTION]... EXPR",
    .summary = "Print the next times of an expression",
    .about = "Prints one UTC time per line.  If a clock change or a rule moved a time, a note\n"
             "follows after `#`.  If the expression has no time, nothing is printed, and\n"
             "standard error gives the reason.\n"
             "\n"
             "TIME is an instant (2026-03-08T02:30:00Z), a local time in the time zone\n"
             "(2026-03-08T02:30, 2026-03-08) or now.\n"
             "\n"
             "DIALECT is one of belfry, posix, vixie, cronie, robfig, robfig-seconds, k8s,\n"
             "github, cloudscheduler, spring, quartz, aws, jenkins, temporal, systemd, rrule.\n"
             "\n"
             "With --batch each line is an object: id, dialect, expr or spec, tz, after, n,\n"
             "dst, seed.  The answer has the same id, and either times, or error and at (the\n"
             "byte).\n"
             "\n"
             "Exit status: 0; 1 if reading or writing fails; 2 if the input is invalid.\n",
    .examples = "  belfry next '*/15 9-17 * * MON-FRI'\n"
                "  belfry next --tz America/New_York --after 2026-03-07 --local '30 2 * * *'\n"
                "  belfry next --dialect quartz -n 1 '0 0 12 L * ?'\n"
                "  belfry next --until 2027-01-01 --dialect systemd 'Mon..Fri *-*~01 18:00'\n"
                "  belfry next --spec nightly.json --json\n"
                "  echo '{\"id\":1,\"expr\":\"@daily\",\"n\":2}' | belfry next --batch -\n",
    .options = next_options,
    .option_count = OPT_COUNT,
    .own_from = OPT_SHARED,
    .run = next_run,
};
