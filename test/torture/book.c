/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a journal into a book.
 */
#include "book.h"

#include "journal.h"

const char *const op_names[OP_KINDS] = {
    [OP_CREATE] = "create",   [OP_PUT] = "put",
    [OP_PAUSE] = "pause",     [OP_RESUME] = "resume",
    [OP_TRIGGER] = "trigger", [OP_DELETE] = "delete",
    [OP_CANCEL] = "cancel",   [OP_TERMINATE] = "terminate",
};
const char *const op_ends[] = {[OP_OK] = "ok", [OP_FAIL] = "fail", [OP_INFO] = "info", NULL};

static const char *const report_kinds[] = {
    [REPORT_ALIVE] = "alive", [REPORT_DONE] = "done", [REPORT_RELEASE] = "release", NULL};

static int place_of(struct str text, const char *const *names, int count)
{
    for (int i = 0; i < count && names[i]; i++)
        if (str_eq(text, str_of(names[i])))
            return i;
    return -1;
}

static enum rc read_delivery(struct book *book, const struct str *f, struct err *reterr)
{
    struct delivery *s = &book->deliveries[book->delivery_count];

    *s = (struct delivery){.at = journal_number(f[1]),
                           .is_grant = str_eq(f[0], STR("grant")),
                           .attempt = (int32_t)journal_number(f[3]),
                           .fence = journal_number(f[4]),
                           .key = f[5],
                           .slot_ms = journal_number(f[6]),
                           .was_cut = str_eq(f[7], STR("cut"))};
    if (f[2].len >= sizeof s->id)
        return err_set(reterr, RC_CORRUPT, -1, 0, "invalid run \"%.*s\"", STR_ARG(f[2]));
    memcpy(s->id, f[2].ptr, f[2].len);
    book->delivery_count++;
    return run_id_parse(f[2], &s->run, reterr);
}

static enum rc read_report(struct book *book, const struct str *f, struct err *reterr)
{
    struct worker_report *s = &book->reports[book->report_count++];
    int kind = place_of(f[4], report_kinds, 3);

    if (kind < 0)
        return err_set(reterr, RC_CORRUPT, -1, 0, "invalid report \"%.*s\"", STR_ARG(f[4]));
    *s = (struct worker_report){.at = journal_number(f[1]),
                                .fence = journal_number(f[3]),
                                .kind = (enum report_kind)kind,
                                .outcome = str_eq(f[5], STR("succeeded")) ? OUTCOME_SUCCEEDED
                                                                          : OUTCOME_FAILED,
                                .rc = str_eq(f[6], STR("ok"))      ? RC_OK
                                      : str_eq(f[6], STR("stale")) ? RC_CONFLICT
                                                                   : RC_UNKNOWN};
    return run_id_parse(f[2], &s->run, reterr);
}

static enum rc read_ask(struct book *book, const struct str *f, struct err *reterr)
{
    int kind = place_of(f[3], op_names, OP_KINDS);

    if (kind < 0)
        return err_set(reterr, RC_CORRUPT, -1, 0, "invalid operation \"%.*s\"", STR_ARG(f[3]));
    book->ops[book->op_count++] = (struct op){.asked = journal_number(f[1]),
                                              .number = journal_number(f[2]),
                                              .kind = (enum op_kind)kind,
                                              .end = OP_INFO,
                                              .answered = INSTANT_NEVER,
                                              .schedule = f[4],
                                              .body = f[5]};
    return RC_OK;
}

static enum rc read_reply(struct book *book, const struct str *f, struct err *reterr)
{
    int end = place_of(f[3], op_ends, 3), i = book->op_count - 1;

    while (i >= 0 && book->ops[i].number != journal_number(f[2]))
        i--;
    if (i < 0 || end < 0)
        return err_set(reterr, RC_CORRUPT, -1, 0, "number %.*s was never requested",
                       STR_ARG(f[2]));
    book->ops[i].answered = journal_number(f[1]);
    book->ops[i].end = (enum op_end)end;
    book->ops[i].version = journal_number(f[4]);
    book->ops[i].has_run = f[5].len > 0;
    return f[5].len > 0 ? run_id_parse(f[5], &book->ops[i].run, reterr) : RC_OK;
}

static enum rc read_line(struct book *book, const struct str *f, struct err *reterr)
{
    if (str_eq(f[0], STR("sent")) || str_eq(f[0], STR("grant")))
        return read_delivery(book, f, reterr);
    if (str_eq(f[0], STR("report")))
        return read_report(book, f, reterr);
    if (str_eq(f[0], STR("ask")))
        return read_ask(book, f, reterr);
    if (str_eq(f[0], STR("reply")))
        return read_reply(book, f, reterr);
    if (str_eq(f[0], STR("fault")))
        return RC_OK;
    return err_set(reterr, RC_CORRUPT, -1, 0, "a line of the journal begins with `%.*s`",
                   STR_ARG(f[0]));
}

static bool is_same(const struct delivery *a, const struct delivery *b)
{
    return a->run.schedule == b->run.schedule && a->run.slot_ms == b->run.slot_ms &&
           a->run.pass == b->run.pass && a->fence == b->fence && a->attempt == b->attempt;
}

/* A call whose reused connection is cut may be sent again at once: docs/decisions/0014. */
static void mark_repeats(struct book *book)
{
    for (int i = 0; i < book->delivery_count; i++)
        for (int k = 0; k < i && !book->deliveries[i].is_repeat; k++)
            book->deliveries[i].is_repeat = book->deliveries[k].was_cut &&
                                            is_same(&book->deliveries[k], &book->deliveries[i]);
}

enum rc book_read(struct str text, struct arena *arena, struct book *ret, struct err *reterr)
{
    struct str fields[JOURNAL_FIELDS_MAX], rest = text;
    size_t lines = 0;
    enum rc rc = RC_OK;

    while (journal_next(&rest, fields))
        lines++;
    *ret = (struct book){.deliveries = arena_array(arena, lines, sizeof *ret->deliveries),
                         .reports = arena_array(arena, lines, sizeof *ret->reports),
                         .ops = arena_array(arena, lines, sizeof *ret->ops)};
    for (rest = text; rc == RC_OK && journal_next(&rest, fields);) {
        instant at = journal_number(fields[1]);

        ret->begin = ret->begin == 0 || at < ret->begin ? at : ret->begin;
        ret->end = at > ret->end ? at : ret->end;
        rc = read_line(ret, fields, reterr);
    }
    mark_repeats(ret);
    return rc;
}
