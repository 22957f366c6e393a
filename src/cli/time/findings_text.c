/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the results of `belfry explain` as text.
 */
#include "cli/time/findings.h"
#include "core/time/text.h"

enum { OFTEN = 24 }; /* runs per day above which the frequency is printed */

static const char *weekday(instant t, int32_t offset)
{
    static const char *const names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

    return names[day_weekday(floor_div(instant_seconds(t) + offset, DAY_SECONDS))];
}

/* "2026-11-16T07:30:00Z  Mon 2026-11-16T02:30:00-05:00" */
static void print_time(struct printer *out, instant t, const struct tz *tz)
{
    char text[2 * INSTANT_TEXT_MAX + 16];
    struct buf line = BUF(text);
    int32_t offset = tz_offset(tz, instant_seconds(t));

    instant_format(t, &line);
    buf_printf(&line, "  %s ", weekday(t, offset));
    instant_format_local(t, offset, &line);
    printer_str(out, buf_as_str(&line));
}

static void print_heading(struct printer *out, const char *text)
{
    printer_printf(out, out->colours ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static void print_slot(const struct findings *f, struct printer *out, const struct slot *slot)
{
    const struct spec_argument *s = f->argument;
    char text[EXPLAIN_TEXT_MAX] = "";
    struct buf note = BUF(text);

    print_time(out, slot->due, spec_argument_tz(&s->spec, slot->entry));
    if (explain_note(&s->spec, &s->ctx, slot, &note))
        printer_printf(out, "  # %s", text);
    printer_text(out, "\n");
}

static void print_next(const struct findings *f, struct printer *out)
{
    const struct spec_argument *s = f->argument;
    char text[EXPLAIN_TEXT_MAX] = "";
    struct buf why = BUF(text);

    print_heading(out, "Next");
    for (int i = 0; i < f->next_count; i++) {
        printer_text(out, "  ");
        print_slot(f, out, &f->next[i]);
    }
    if (f->next_count == 0) {
        explain_never(&s->spec, &s->ctx, s->after, &why);
        printer_printf(out, "  never: %s\n", text);
    }
    if (f->per_day > OFTEN)
        printer_printf(out, "  about %lld per day\n", (long long)f->per_day);
}

static void print_moment(const struct findings *f, struct printer *out, int i)
{
    const struct explain *why = &f->why[i];
    bool is_slot = why->why == WHY_SLOT;

    print_heading(out, is_slot ? "A slot" : "Not a slot");
    if (!f->in_gap) {
        printer_text(out, "  at      ");
        print_time(out, f->moment[i], f->argument->spec.zones[0].tz);
        printer_text(out, "\n");
    }
    printer_printf(out, "  %s\n", why->text);
    if (why->has_prev) {
        printer_text(out, "  before  ");
        print_slot(f, out, &why->prev);
    }
    if (why->has_next) {
        printer_text(out, "  after   ");
        print_slot(f, out, &why->next);
    }
}

static void print_change(const struct findings *f, struct printer *out,
                         const struct explain_change *change)
{
    char text[EXPLAIN_TEXT_MAX];
    struct buf line = BUF(text);
    int64_t was = change->at + change->before, is = change->at + change->after;

    instant_format(instant_of_seconds(change->at), &line);
    buf_text(&line, "  ");
    date_format(floor_div(was, DAY_SECONDS), &line);
    buf_text(&line, " from ");
    time_of_day_format((int32_t)(was - floor_div(was, DAY_SECONDS) * DAY_SECONDS), &line);
    buf_text(&line, " to ");
    time_of_day_format((int32_t)(is - floor_div(is, DAY_SECONDS) * DAY_SECONDS), &line);
    if (f->argument->spec.zone_count > 1)
        buf_printf(&line, " in %s", f->argument->spec.zones[change->zone].tz->name);
    printer_printf(out, "  %s\n    %s\n", text, change->touches ? change->text : "no effect");
}

static void print_changes(const struct findings *f, struct printer *out)
{
    if (f->change_count == 0)
        return;
    print_heading(out, "Clock changes within a year");
    for (int i = 0; i < f->change_count; i++)
        print_change(f, out, &f->changes[i]);
}

static void print_warnings(const struct findings *f, struct printer *out)
{
    bool later = f->later_change != INSTANT_NEVER;
    char text[INSTANT_TEXT_MAX + 80];
    struct buf line = BUF(text);

    if (f->warning_count == 0 && !later)
        return;
    print_heading(out, "Note");
    for (int i = 0; i < f->warning_count; i++)
        printer_printf(out, "  %s\n", f->warnings[i].text);
    if (later) {
        instant_format(f->later_change, &line);
        printer_printf(out, "  a clock change affects it at %s\n", text);
    }
}

void findings_print(const struct findings *f, struct printer *out)
{
    printer_text(out, f->description);
    printer_text(out, "\n");
    print_next(f, out);
    for (int i = 0; i < f->moment_count; i++)
        print_moment(f, out, i);
    print_changes(f, out);
    print_warnings(f, out);
}
