/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warns of expressions that are valid but often mistakes.
 */
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/explain/explain_parts.h"

#define ALL_SIXTY    ((UINT64_C(1) << 60) - 1)
#define ALL_DAYS     UINT32_C(0xfffffffe)
#define LATE_DAYS    UINT32_C(0xe0000000) /* 29, 30, 31 */
#define ALL_WEEKDAYS 0x7f

enum { SIXTY = 60, HOURS = 24, LATE_FEW = 3 }; /* a list of more days is deliberate */

struct warnings {
    const struct spec *spec;
    const struct spec_def *def;
    struct explain_warning *ret;
    int count;
};

/* Starts a warning; false if there are EXPLAIN_WARNINGS_MAX already. */
static bool begin_warning(struct warnings *w, int entry, struct buf *ret)
{
    if (w->count == EXPLAIN_WARNINGS_MAX)
        return false;
    w->ret[w->count].entry = entry;
    w->ret[w->count].text[0] = '\0';
    *ret = BUF(w->ret[w->count].text);
    w->count++;
    return true;
}

/* Only an expression that is written with a step is expected to be even. */
static bool has_step(const struct cron_def *def)
{
    return def->expr.len > 0 && memchr(def->expr.ptr, '/', def->expr.len) != NULL;
}

/* A step that does not divide the field: the last distance is shorter. */
static void warn_uneven_step(struct warnings *w, int entry, uint64_t bits, int size,
                             const char *unit)
{
    struct words_set set = words_set(bits);
    const struct cron_def *def = &w->def->cron[w->spec->entries[entry].index];
    struct buf out;

    if (set.step < 2 || set.first >= set.step || set.last + set.step < size ||
        size % set.step == 0 || !has_step(def) || !begin_warning(w, entry, &out))
        return;
    buf_printf(&out, "the step of %d %ss is uneven: %d follows %d after %d %ss", set.step, unit,
               set.first, set.last, size - set.last + set.first, unit);
    buf_printf(&out, "; for an even step use an interval of %d%c", set.step, unit[0]);
}

static void warn_every_minute(struct warnings *w, int entry, const struct cron *cron)
{
    struct words_set hours = words_set(cron->hour);
    struct buf out;

    if (cron->minute != ALL_SIXTY || (hours.count > 1 && hours.step == 1) ||
        hours.count == HOURS || cron->second == ALL_SIXTY || !begin_warning(w, entry, &out))
        return;
    buf_text(&out, "it runs in every minute of ");
    describe_field(cron->hour, HOURS, "hour", &out);
    buf_text(&out, "; for once an hour write a number in the minute field, such as 0");
}

static void warn_late_days(struct warnings *w, int entry, const struct cron *cron)
{
    uint32_t late = cron->day & LATE_DAYS;
    struct words_set set = words_set(cron->day);
    bool deliberate = set.count > LATE_FEW || cron->day == ALL_DAYS;
    struct buf out;

    if (late == 0 || deliberate || !begin_warning(w, entry, &out))
        return;
    buf_text(&out, "months without day ");
    words_ranges(&out, late, words_number);
    buf_text(&out, " are skipped; for the last day of every month write \"L\"");
}

static void warn_either_day(struct warnings *w, int entry, const struct cron *cron)
{
    bool is_belfry = w->def->cron[w->spec->entries[entry].index].dialect == DIALECT_BELFRY;
    struct buf out;

    if ((cron->flags & CRON_DAY_AND) || cron->day == ALL_DAYS ||
        cron->weekday == ALL_WEEKDAYS || !begin_warning(w, entry, &out))
        return;
    buf_text(&out, "day of month and day of week are both given: either of them is enough");
    if (is_belfry)
        buf_text(&out, "; for both at once write \"+\" before the day of week");
}

int explain_warnings(const struct spec *spec, const struct spec_def *def,
                     struct explain_warning ret[static EXPLAIN_WARNINGS_MAX])
{
    struct warnings w = {.spec = spec, .def = def, .ret = ret};

    for (int i = 0; i < spec->entry_count; i++) {
        const struct cron *cron = &spec->entries[i].cron;

        if (spec->entries[i].kind != ENTRY_CRON || spec->entries[i].list != LIST_CRON)
            continue;
        warn_uneven_step(&w, i, cron->second, SIXTY, "second");
        warn_uneven_step(&w, i, cron->minute, SIXTY, "minute");
        warn_uneven_step(&w, i, cron->hour, HOURS, "hour");
        warn_every_minute(&w, i, cron);
        warn_late_days(&w, i, cron);
        warn_either_day(&w, i, cron);
    }
    return w.count;
}
