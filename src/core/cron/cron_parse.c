/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of whole cron expressions: zone, comment, macros, the order of the fields, and
 * what the fields mean together.
 */
#include "core/cron/cron_parse.h"

#include "base/must.h"
#include "core/cron/cron_char.h"
#include "core/cron/cron_every.h"
#include "core/cron/cron_field.h"

enum { FIELDS_MAX = 7 };

#define EMPTY_TEXT "the expression is empty; write fields such as \"0 9 * * 1-5\""

struct fields {
    struct str text[FIELDS_MAX];
    int count;            /* of all fields, even above FIELDS_MAX       */
    const char *surplus;  /* the first field above FIELDS_MAX           */
    enum cron_unit first; /* the others follow in the order of the enum */
    unsigned marks[UNIT_COUNT];
};

static const struct {
    const char *name, *fields, *hashed;
} macros[] = {
    {"@yearly", "0 0 1 1 *", "H H H H *"},  {"@annually", "0 0 1 1 *", "H H H H *"},
    {"@monthly", "0 0 1 * *", "H H H * *"}, {"@weekly", "0 0 * * 0", "H H * * H"},
    {"@daily", "0 0 * * *", "H H * * *"},   {"@midnight", "0 0 * * *", "H H(0-2) * * *"},
    {"@hourly", "0 * * * *", "H * * * *"},
};

enum { MACROS = sizeof macros / sizeof macros[0] };

static int column(const struct cron_context *ctx, const char *p)
{
    return (int)(p - ctx->origin);
}

/* ---- blanks ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_blank(const struct cron_context *ctx, char c)
{
    if (c > ' ')
        return false;
    switch ((enum cron_blanks)ctx->grammar->blanks) {
    case BLANKS_SPACE:
        return c == ' ';
    case BLANKS_ALL:
        return is_space(c);
    case BLANKS_TAB:
        break;
    }
    return c == ' ' || c == '\t';
}

/* Dialects with zone lines or other white space trim all of it, the others space and tab. */
static struct str trim(const struct cron_context *ctx, struct str s)
{
    const struct cron_grammar *grammar = ctx->grammar;
    bool has_lines = grammar->zone == ZONE_TZ_LINE || grammar->zone == ZONE_CRON_TZ_LINE;

    if (!has_lines && grammar->blanks == BLANKS_TAB)
        return str_trim(s);
    while (s.len > 0 && is_space(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len > 0 && is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static enum rc check_bytes(const struct cron_context *ctx, struct str s, struct err *reterr)
{
    const char *end = s.ptr + s.len;

    for (const char *p = s.ptr; p < end; p++)
        if ((*p < ' ' || *p > '~') && !is_blank(ctx, *p))
            return cron_reject_byte(ctx->origin, p, end, reterr);
    return RC_OK;
}

/* ---- zone and comment ---- */

static enum rc check_zone(const struct cron_context *ctx, struct str name, struct err *reterr)
{
    const char *bad = cron_find_bad_byte(name);

    if (bad)
        return cron_reject_byte(ctx->origin, bad, name.ptr + name.len, reterr);
    if (name.len == 0)
        return err_set(reterr, RC_INVALID, column(ctx, name.ptr), 0,
                       "a time zone is missing after \"TZ=\"; write a name such as "
                       "\"Europe/Paris\"");
    if (name.len > ZONE_NAME_MAX)
        return err_set(reterr, RC_INVALID, column(ctx, name.ptr), (int)name.len,
                       "the name of the time zone is too long; use at most %d bytes",
                       ZONE_NAME_MAX);
    return RC_OK;
}

/* The end of the zone name: a blank or the end of the line; NULL if there is none. */
static const char *zone_end(const struct cron_context *ctx, struct str rest)
{
    for (size_t i = 0; i < rest.len; i++) {
        bool ends = ctx->grammar->zone == ZONE_PREFIX ? is_blank(ctx, rest.ptr[i])
                                                      : rest.ptr[i] == '\n';

        if (ends)
            return rest.ptr + i;
    }
    return NULL;
}

/* Removes `TZ=name` from the start of *rest. */
static enum rc take_zone(const struct cron_context *ctx, struct str *rest, struct str *ret,
                         struct err *reterr)
{
    static const struct str short_key = {"TZ=", 3}, long_key = {"CRON_TZ=", 8};
    bool is_short = str_starts(*rest, short_key), is_long = str_starts(*rest, long_key);
    enum cron_zone rule = (enum cron_zone)ctx->grammar->zone;
    struct str name, key = is_short ? short_key : long_key;
    const char *end;
    enum rc rc;

    if (!is_short && !is_long)
        return RC_OK;
    if (rule == ZONE_NONE || rule == (is_short ? ZONE_CRON_TZ_LINE : ZONE_TZ_LINE))
        return err_set(reterr, RC_INVALID, column(ctx, rest->ptr), (int)key.len,
                       "dialect %s has no \"%s\"; give the time zone separately",
                       dialect_text(ctx->dialect), key.ptr);
    name = str_from(*rest, key.len);
    end = zone_end(ctx, name);
    if (!end)
        return err_set(reterr, RC_INVALID, column(ctx, rest->ptr), (int)rest->len,
                       "the expression is missing; after the time zone write %s and the "
                       "fields",
                       rule == ZONE_PREFIX ? "a blank" : "a new line");
    *rest = trim(ctx, str_from(name, (size_t)(end - name.ptr)));
    name = trim(ctx, (struct str){name.ptr, (size_t)(end - name.ptr)});
    rc = check_zone(ctx, name, reterr);
    if (rc == RC_OK)
        *ret = name;
    return rc;
}

/* Removes `# comment` from the end of *rest. */
static enum rc take_comment(const struct cron_context *ctx, struct str *rest, struct str *ret,
                            struct err *reterr)
{
    struct str head, tail;

    if (!(ctx->grammar->may & MAY_COMMENT) || !str_cut(*rest, '#', &head, &tail))
        return RC_OK;
    tail = trim(ctx, tail);
    if (tail.len > SPEC_COMMENT_MAX)
        return err_set(reterr, RC_INVALID, column(ctx, tail.ptr), (int)tail.len,
                       "the comment has %zu bytes; use at most %d", tail.len, SPEC_COMMENT_MAX);
    *rest = trim(ctx, head);
    *ret = tail;
    return RC_OK;
}

/* ---- fields ---- */

static void split(const struct cron_context *ctx, struct str s, struct fields *ret)
{
    const char *p = s.ptr, *end = s.ptr + s.len;

    ret->count = 0;
    while (p < end) {
        const char *start = p;

        while (p < end && !is_blank(ctx, *p))
            p++;
        if (ret->count < FIELDS_MAX)
            ret->text[ret->count] = (struct str){start, (size_t)(p - start)};
        else if (ret->count == FIELDS_MAX)
            ret->surplus = start;
        ret->count++;
        while (p < end && is_blank(ctx, *p))
            p++;
    }
}

/* "5, 6 or 7" */
static const char *counts_text(unsigned fields)
{
    if (fields & FIELDS_5)
        return fields == FIELDS_5 ? "5" : "5, 6 or 7";
    return fields & FIELDS_7 ? "6 or 7" : "6";
}

static enum rc wrong_count(const struct cron_context *ctx, const struct fields *fields,
                           struct str s, struct err *reterr)
{
    unsigned allowed = ctx->grammar->fields;
    int most = allowed & FIELDS_7 ? 7 : allowed == FIELDS_5 ? 5 : 6;
    const char *at = s.ptr + s.len, *hint = "";

    if (fields->count > most)
        at = most < FIELDS_MAX ? fields->text[most].ptr : fields->surplus;
    if (fields->count == 6 && allowed == FIELDS_5)
        hint = "; for seconds use dialect belfry";
    if (fields->count == 5 && allowed & FIELDS_6_SECOND)
        hint = "; seconds come first: put \"0 \" before the minutes";
    if (fields->count == 5 && allowed == FIELDS_6_YEAR)
        hint = "; the year comes last: append \" *\"";
    return err_set(reterr, RC_INVALID, column(ctx, at), (int)(s.ptr + s.len - at),
                   "expected %s fields, found %d%s", counts_text(allowed), fields->count, hint);
}

static bool is_year(struct str field)
{
    size_t digits = 0;

    while (digits < field.len && char_is_digit(field.ptr[digits]))
        digits++;
    return digits == 4;
}

/* Finds out which unit the first field is. */
static enum rc set_first_unit(const struct cron_context *ctx, struct str s,
                              struct fields *fields, struct err *reterr)
{
    unsigned allowed = ctx->grammar->fields;
    bool has_six = fields->count == 6 && allowed & FIELDS_6_SECOND;
    const struct str *last = &fields->text[5];

    if (has_six && is_year(*last))
        return err_set(
            reterr, RC_INVALID, column(ctx, last->ptr), (int)last->len,
            "six fields start with seconds; \"%.*s\" looks like a year: use %sdialect "
            "aws",
            STR_ARG(*last), allowed & FIELDS_7 ? "seven fields or " : "");
    if (has_six || (fields->count == 7 && allowed & FIELDS_7))
        fields->first = UNIT_SECOND;
    else if ((fields->count == 5 && allowed & FIELDS_5) ||
             (fields->count == 6 && allowed & FIELDS_6_YEAR))
        fields->first = UNIT_MINUTE;
    else
        return wrong_count(ctx, fields, s, reterr);
    return RC_OK;
}

static enum rc ambiguous(const struct cron_context *ctx, const struct fields *fields,
                         enum cron_unit starred, struct err *reterr)
{
    const struct str *day = &fields->text[UNIT_DAY - fields->first];
    const struct str *week = &fields->text[UNIT_WEEKDAY - fields->first];
    const struct str *field = starred == UNIT_DAY ? day : week;
    const char *range = starred == UNIT_DAY ? "1-31" : "0-6";
    struct str tail = str_from(*field, 1);

    if (fields->marks[starred] & FIELD_LIST)
        err_set(reterr, RC_INVALID, column(ctx, field->ptr), (int)field->len,
                "ambiguous: write \"+%.*s\" for both conditions or leave out \"*\" for either",
                STR_ARG(*week));
    else
        err_set(reterr, RC_INVALID, column(ctx, field->ptr), (int)field->len,
                "ambiguous: write \"+%.*s\" for both conditions or \"%s%.*s\" for either",
                STR_ARG(*week), range, STR_ARG(tail));
    return err_in(reterr, "%s", cron_unit_text(starred));
}

/* True for a field that some cron programs combine with AND and others with OR. */
static bool is_unclear(unsigned marks)
{
    return marks & FIELD_STAR_STEPS || (marks & FIELD_STAR && marks & FIELD_LIST);
}

/* Decides whether both day fields must match, or either. */
static enum rc join_days(const struct cron_context *ctx, const struct fields *fields,
                         struct cron *cron, struct err *reterr)
{
    unsigned day = fields->marks[UNIT_DAY], week = fields->marks[UNIT_WEEKDAY];
    const struct str *week_text = &fields->text[UNIT_WEEKDAY - fields->first];
    bool both = true;

    switch ((enum cron_days)ctx->grammar->days) {
    case DAYS_AND:
        break;
    case DAYS_TEXT:
        both = (day | week) & FIELD_STAR_FIRST;
        break;
    case DAYS_OR:
        both = (day | week) & FIELD_STAR;
        break;
    case DAYS_CLEAR:
        both = (day | week) & FIELD_STAR || week & FIELD_AND;
        if (is_unclear(day) && !(week & (FIELD_STAR | FIELD_AND)))
            return ambiguous(ctx, fields, UNIT_DAY, reterr);
        if (is_unclear(week) && !(day & FIELD_STAR) && !(week & FIELD_AND))
            return ambiguous(ctx, fields, UNIT_WEEKDAY, reterr);
        break;
    case DAYS_QUERY:
        if (!(day & FIELD_QUERY) == !(week & FIELD_QUERY))
            return err_set(
                reterr, RC_INVALID, column(ctx, week_text->ptr), (int)week_text->len,
                "give day-of-month or day-of-week and write \"?\" for the other, and "
                "only there");
        break;
    }
    if (both)
        cron->flags |= CRON_DAY_AND;
    return RC_OK;
}

static bool is_interval(const struct cron_context *ctx, const struct fields *fields)
{
    unsigned time = fields->marks[UNIT_MINUTE] | fields->marks[UNIT_HOUR];

    if (ctx->grammar->days == DAYS_TEXT)
        return time & FIELD_STAR_FIRST;
    return (time | fields->marks[UNIT_SECOND]) & FIELD_INTERVAL;
}

static enum rc parse_fields(const struct cron_context *ctx, struct fields *fields,
                            struct cron *ret, struct err *reterr)
{
    enum rc rc;

    *ret = (struct cron){.second = 1, .flags = CRON_ANY_YEAR};
    for (int i = 0; i < fields->count; i++) {
        enum cron_unit unit = fields->first + (unsigned)i;

        if (unit == UNIT_YEAR)
            ret->flags &= (uint8_t)~CRON_ANY_YEAR;
        rc = cron_field_parse(ctx, unit, fields->text[i], ret, &fields->marks[unit], reterr);
        if (rc != RC_OK)
            return rc;
    }
    rc = join_days(ctx, fields, ret, reterr);
    if (rc != RC_OK)
        return rc;
    if (is_interval(ctx, fields))
        ret->flags |= CRON_INTERVAL;
    cron_seal(ret);
    return RC_OK;
}

/* "every 2 hours", "1st,third mon of mar 09:15" */
static bool is_english(const struct fields *fields)
{
    for (int i = 0; i < fields->count && i < FIELDS_MAX; i++)
        if (str_eq_nocase(fields->text[i], i == 0 ? STR("every") : STR("of")))
            return true;
    return false;
}

static enum rc take_fields(const struct cron_context *ctx, struct str s, struct cron *ret,
                           struct err *reterr)
{
    struct fields fields = {0};
    enum rc rc;

    split(ctx, s, &fields);
    if (ctx->grammar->may & HAS_ENGLISH && is_english(&fields))
        return err_set(reterr, RC_INVALID, column(ctx, s.ptr), (int)s.len,
                       "English sentences are not supported; write five fields such as "
                       "\"0 */2 * * *\"");
    rc = set_first_unit(ctx, s, &fields, reterr);
    return rc == RC_OK ? parse_fields(ctx, &fields, ret, reterr) : rc;
}

/* ---- macros and intervals ---- */

static enum rc unknown_macro(const struct cron_context *ctx, struct str word,
                             struct err *reterr)
{
    const char *names[MACROS];
    int nearest;

    if (str_eq_nocase(word, STR("@reboot")))
        return err_set(reterr, RC_INVALID, column(ctx, word.ptr), (int)word.len,
                       "\"@reboot\" is not a time; start the command from a system service");
    for (int i = 0; i < MACROS; i++)
        names[i] = macros[i].name;
    nearest = str_nearest(word, names, MACROS);
    if (nearest >= 0)
        return err_set(reterr, RC_INVALID, column(ctx, word.ptr), (int)word.len,
                       "\"%.*s\" is not known; use \"%s\"", STR_ARG(word), names[nearest]);
    return err_set(reterr, RC_INVALID, column(ctx, word.ptr), (int)word.len,
                   "\"%.*s\" is not known; use @yearly, @monthly, @weekly, @daily or @hourly%s",
                   (int)(word.len > 40 ? 40 : word.len), word.ptr,
                   ctx->grammar->every == EVERY_NONE ? "" : ", or \"@every 90m\"");
}

/* Index into macros[]; -1 if the dialect does not have this macro. */
static int find_macro(const struct cron_context *ctx, struct str word)
{
    bool any_case = ctx->grammar->macros == MACROS_ANY_CASE;

    for (int i = 0; i < MACROS; i++) {
        struct str name = str_of(macros[i].name);

        if (any_case ? str_eq_nocase(word, name) : str_eq(word, name))
            return i;
    }
    return -1;
}

/* Parses the five fields that a macro means. */
static void expand_macro(const struct cron_context *ctx, int macro, struct cron *ret)
{
    bool is_hashed = ctx->grammar->macros == MACROS_HASHED;
    struct str text = str_of(is_hashed ? macros[macro].hashed : macros[macro].fields);
    struct fields fields = {.first = UNIT_MINUTE};
    struct err err;
    enum rc rc;

    split(ctx, text, &fields);
    rc = parse_fields(ctx, &fields, ret, &err);
    must(rc == RC_OK);
}

static enum rc take_macro(const struct cron_context *ctx, struct str word, struct str tail,
                          struct cron *ret, struct err *reterr)
{
    int macro = find_macro(ctx, word);

    if (macro < 0)
        return unknown_macro(ctx, word, reterr);
    if (ctx->grammar->macros == MACROS_NONE)
        return err_set(reterr, RC_INVALID, column(ctx, word.ptr), (int)word.len,
                       "dialect %s has no \"%.*s\"; write the fields \"%s\"",
                       dialect_text(ctx->dialect), STR_ARG(word), macros[macro].fields);
    if (tail.len > 0)
        return err_set(reterr, RC_INVALID, column(ctx, tail.ptr), (int)tail.len,
                       "\"%.*s\" is a whole expression; remove what follows", STR_ARG(word));
    expand_macro(ctx, macro, ret);
    return RC_OK;
}

static bool is_every(const struct cron_context *ctx, struct str word)
{
    const struct cron_grammar *grammar = ctx->grammar;

    if (grammar->every == EVERY_NONE || grammar->every == EVERY_RATE)
        return false;
    return grammar->macros == MACROS_ANY_CASE ? str_eq_nocase(word, STR("@every"))
                                              : str_eq(word, STR("@every"));
}

/* `tail` starts with the blank after @every. */
static enum rc take_every(const struct cron_context *ctx, struct str tail,
                          struct cron_text *ret, struct err *reterr)
{
    enum cron_every rule = (enum cron_every)ctx->grammar->every;
    enum rc rc;

    /* Only dialect belfry allows more than one blank here. */
    tail = rule == EVERY_WHOLE ? str_trim(tail) : str_from(tail, tail.len > 0);
    rc = cron_every_parse(tail, ctx->origin, rule, &ret->every, &ret->phase, reterr);
    if (rc != RC_OK)
        return rc;
    ret->is_every = true;
    ret->epoch = rule == EVERY_EPOCH;
    if (ret->epoch) {
        ret->zone = (struct str){0};
        ret->comment = (struct str){0};
    }
    return RC_OK;
}

/* An expression that starts with `@`. */
static enum rc take_at_word(const struct cron_context *ctx, struct str s, struct cron_text *ret,
                            struct err *reterr)
{
    struct str word = s;

    for (word.len = 0; word.len < s.len && !is_blank(ctx, s.ptr[word.len]);)
        word.len++;
    if (is_every(ctx, word))
        return take_every(ctx, str_from(s, word.len), ret, reterr);
    return take_macro(ctx, word, trim(ctx, str_from(s, word.len)), &ret->cron, reterr);
}

/* cron(fields) or rate(n unit). */
static enum rc take_cron_or_rate(const struct cron_context *ctx, struct str s,
                                 struct cron_text *ret, struct err *reterr)
{
    bool is_cron = str_starts(s, STR("cron(")), is_rate = str_starts(s, STR("rate("));
    struct str inner;

    if (!is_cron && !is_rate)
        return err_set(reterr, RC_INVALID, column(ctx, s.ptr), (int)s.len,
                       "dialect %s writes \"cron(0 9 * * ? *)\" or \"rate(5 minutes)\"",
                       dialect_text(ctx->dialect));
    if (s.ptr[s.len - 1] != ')')
        return err_set(reterr, RC_INVALID, column(ctx, s.ptr) + (int)s.len, 0,
                       "\")\" is missing at the end");
    inner = (struct str){s.ptr + 5, s.len - 6};
    if (is_cron)
        return take_fields(ctx, trim(ctx, inner), &ret->cron, reterr);
    ret->is_every = true;
    return cron_rate_parse(inner, ctx->origin, &ret->every, reterr);
}

/* ---- the whole expression ---- */

static enum rc take_body(const struct cron_context *ctx, struct str text, struct str s,
                         struct cron_text *ret, struct err *reterr)
{
    bool is_tight = s.len == text.len || ret->zone.len > 0;

    if (check_bytes(ctx, s, reterr) != RC_OK)
        return reterr->rc;
    if (s.len == 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len, EMPTY_TEXT);
    if (ctx->grammar->every == EVERY_RATE)
        return take_cron_or_rate(ctx, s, ret, reterr);
    if (*s.ptr != '@')
        return take_fields(ctx, s, &ret->cron, reterr);
    if (!is_tight && ctx->grammar->may & ONLY_TIGHT_MACRO)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "dialect %s allows no blank around \"%.*s\"; remove it",
                       dialect_text(ctx->dialect), STR_ARG(s));
    return take_at_word(ctx, s, ret, reterr);
}

enum rc cron_parse(struct str text, enum dialect dialect, struct str seed,
                   struct cron_text *ret, struct err *reterr)
{
    struct cron_hash hash = cron_hash(seed);
    struct cron_context ctx = {cron_grammar(dialect), dialect, text.ptr, &hash};
    struct cron_text out = {0};
    struct str rest;
    enum rc rc;

    if (text.len > CRON_TEXT_MAX)
        return err_set(reterr, RC_INVALID, CRON_TEXT_MAX, 0,
                       "the expression has %zu bytes; use at most %d", text.len, CRON_TEXT_MAX);
    if (text.len == 0)
        return err_set(reterr, RC_INVALID, 0, 0, EMPTY_TEXT);
    rest = trim(&ctx, text);
    rc = take_zone(&ctx, &rest, &out.zone, reterr);
    if (rc == RC_OK)
        rc = take_comment(&ctx, &rest, &out.comment, reterr);
    if (rc == RC_OK)
        rc = take_body(&ctx, text, rest, &out, reterr);
    if (rc == RC_OK)
        *ret = out;
    return rc;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t';
}

int cron_count_fields(struct str text)
{
    int count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += !is_separator(text.ptr[i]) && (i == 0 || is_separator(text.ptr[i - 1]));
    return count;
}

struct str cron_seconds_first(struct str text, struct buf *out)
{
    if (cron_count_fields(text) != 5)
        return text;
    buf_text(out, "0 ");
    buf_str(out, str_trim(text));
    return out->cut ? text : buf_as_str(out);
}
