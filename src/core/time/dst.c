/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for clock changes: their names and their meaning.
 */
#include "core/time/dst.h"

#include "base/must.h"

enum { DST_NAMES = DST_CUSTOM + 1, GAPS = GAP_SHIFT + 1, FOLDS = FOLD_BOTH + 1 };

static const char *const dst_names[DST_NAMES] = {
    [DST_VIXIE] = "vixie", [DST_LITERAL] = "literal", [DST_ONCE] = "once",
    [DST_LAST] = "last",   [DST_SHIFT] = "shift",
};

static const char *const gap_names[GAPS] = {
    [GAP_SKIP] = "skip", [GAP_NEXT] = "next", [GAP_SHIFT] = "shift"};

static const char *const fold_names[FOLDS] = {
    [FOLD_FIRST] = "first", [FOLD_LAST] = "last", [FOLD_BOTH] = "both"};

struct dst_choice dst_resolve(struct dst_rule rule, bool is_interval)
{
    switch (rule.name) {
    case DST_VIXIE:
        if (is_interval)
            return (struct dst_choice){GAP_SKIP, FOLD_BOTH};
        return (struct dst_choice){GAP_NEXT, FOLD_FIRST};
    case DST_LITERAL:
        return (struct dst_choice){GAP_SKIP, FOLD_BOTH};
    case DST_ONCE:
        return (struct dst_choice){GAP_SKIP, FOLD_FIRST};
    case DST_LAST:
        return (struct dst_choice){GAP_SKIP, FOLD_LAST};
    case DST_SHIFT:
        return (struct dst_choice){GAP_SHIFT, FOLD_FIRST};
    case DST_CUSTOM:
        must(rule.custom.gap < GAPS && rule.custom.fold < FOLDS);
        return rule.custom;
    case DST_DEFAULT:
        break;
    }
    must_fail("the dialect's clock-change rule is in place", __FILE__, __LINE__);
}

/* Index of `text` in `names`, whose unnamed entries are NULL; -1 if it is not among them. */
static int find_name(struct str text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (names[i] && str_eq(text, str_of(names[i])))
            return i;
    return -1;
}

const char *dst_text(enum dst_name name)
{
    must((unsigned)name < DST_NAMES);
    return dst_names[name];
}

enum rc dst_parse(struct str text, enum dst_name *ret, struct err *reterr)
{
    int i = find_name(text, dst_names, DST_NAMES);

    if (i < 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "\"%.*s\" is not a rule for clock changes; use vixie, literal, once, "
                       "last or shift, or give gap and fold",
                       STR_ARG(text));
    *ret = (enum dst_name)i;
    return RC_OK;
}

const char *gap_text(enum gap gap)
{
    must((unsigned)gap < GAPS);
    return gap_names[gap];
}

const char *fold_text(enum fold fold)
{
    must((unsigned)fold < FOLDS);
    return fold_names[fold];
}

enum rc gap_parse(struct str text, enum gap *ret, struct err *reterr)
{
    int i = find_name(text, gap_names, GAPS);

    if (i < 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "\"%.*s\" is not a rule for gaps; use skip, next or shift",
                       STR_ARG(text));
    *ret = (enum gap)i;
    return RC_OK;
}

enum rc fold_parse(struct str text, enum fold *ret, struct err *reterr)
{
    int i = find_name(text, fold_names, FOLDS);

    if (i < 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "\"%.*s\" is not a rule for folds; use first, last or both",
                       STR_ARG(text));
    *ret = (enum fold)i;
    return RC_OK;
}
