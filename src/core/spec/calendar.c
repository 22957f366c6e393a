/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses calendar entries: seven fields in the grammar of the dialect; all must match.
 */
#include "base/must.h"
#include "core/cron/cron_char.h"
#include "core/cron/cron_field.h"
#include "core/cron/cron_parse.h"

static struct str trim(struct str s)
{
    return s.len > 0 ? str_trim(s) : s;
}

static enum rc check_text(const struct cron_context *ctx, struct str text, struct err *reterr)
{
    const char *bad, *blank;

    if (text.len > CRON_TEXT_MAX)
        return err_set(reterr, RC_INVALID, CRON_TEXT_MAX, 0,
                       "the field has %zu bytes; use at most %d", text.len, CRON_TEXT_MAX);
    bad = cron_find_bad_byte(text);
    if (bad)
        return cron_reject_byte(ctx->origin, bad, text.ptr + text.len, reterr);
    blank = memchr(text.ptr, ' ', text.len);
    if (blank)
        return err_set(reterr, RC_INVALID, (int)(blank - ctx->origin), 1,
                       "a field may not contain blanks; separate items with \",\"");
    return RC_OK;
}

/* Parses one field; an empty one has its default. */
static enum rc parse_field(enum dialect dialect, const struct cron_grammar *grammar,
                           enum cron_unit unit, struct str text, struct cron *out,
                           struct err *reterr)
{
    struct cron_context ctx = {grammar, dialect, text.ptr, NULL};
    struct str field = trim(text);
    unsigned marks;
    enum rc rc;

    if (field.len == 0)
        field = unit <= UNIT_HOUR ? STR("0") : STR("*");
    rc = check_text(&ctx, field, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "%s", cron_unit_text(unit));
    rc = cron_field_parse(&ctx, unit, field, out, &marks, reterr);
    if (rc != RC_OK)
        return rc;
    if (unit <= UNIT_HOUR && marks & FIELD_INTERVAL)
        out->flags |= CRON_INTERVAL;
    return RC_OK;
}

enum rc calendar_parse(const struct calendar_text *text, enum dialect dialect, struct cron *ret,
                       struct err *reterr)
{
    const struct str fields[UNIT_COUNT] = {
        [UNIT_SECOND] = text->second, [UNIT_MINUTE] = text->minute,
        [UNIT_HOUR] = text->hour,     [UNIT_DAY] = text->day,
        [UNIT_MONTH] = text->month,   [UNIT_WEEKDAY] = text->weekday,
        [UNIT_YEAR] = text->year,
    };
    struct cron_grammar grammar = *cron_grammar(dialect);
    struct cron out = {.flags = CRON_DAY_AND};

    must(dialect == DIALECT_BELFRY || dialect == DIALECT_TEMPORAL);
    /* Days and weekdays must both match anyway, and there is no seed for H. */
    grammar.may &= ~(uint32_t)(MAY_AND | MAY_HASH | MAY_TILDE);
    for (int i = 0; i < UNIT_COUNT; i++) {
        enum cron_unit unit = (enum cron_unit)i;

        if (parse_field(dialect, &grammar, unit, fields[i], &out, reterr) != RC_OK)
            return reterr->rc;
    }
    cron_seal(&out);
    *ret = out;
    return RC_OK;
}
