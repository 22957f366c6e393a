/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of anchors, window rules and shifts.
 */
#include "core/spec/spec_def.h"

#include "base/buf.h"
#include "base/must.h"

/* The names of the values of an enum, in its order. */
struct words {
    const char *const *names;
    int count;
};

#define WORDS(array) ((struct words){(array), sizeof(array) / sizeof(array)[0]})

static const char *const anchors[] = {
    [ANCHOR_EPOCH] = "epoch",
    [ANCHOR_MIDNIGHT] = "midnight",
    [ANCHOR_START] = "start",
    [ANCHOR_COMPLETION] = "completion",
};

static const char *const window_rules[] = {
    [WINDOW_CLAMP] = "clamp",
    [WINDOW_FILTER] = "filter",
};

static const char *const shifts[] = {
    [SHIFT_NONE] = "none",
    [SHIFT_NEXT] = "next",
    [SHIFT_PREVIOUS] = "previous",
};

static const char *get_word(struct words words, int i)
{
    must(i >= 0 && i < words.count);
    return words.names[i];
}

static enum rc find_word(struct str text, struct words words, int *ret, struct err *reterr)
{
    char list[64];
    struct buf out = BUF(list);

    for (int i = 0; i < words.count; i++) {
        if (str_eq(text, str_of(words.names[i]))) {
            *ret = i;
            return RC_OK;
        }
        buf_text(&out, i == 0 ? "" : i == words.count - 1 ? " or " : ", ");
        buf_text(&out, words.names[i]);
    }
    must(!out.cut);
    return err_set(reterr, RC_INVALID, 0, (int)text.len, "must be %s", list);
}

const char *anchor_text(enum anchor anchor)
{
    return get_word(WORDS(anchors), (int)anchor);
}

const char *window_rule_text(enum window_rule rule)
{
    return get_word(WORDS(window_rules), (int)rule);
}

const char *shift_text(enum shift shift)
{
    return get_word(WORDS(shifts), (int)shift);
}

enum rc anchor_parse(struct str text, enum anchor *ret, struct err *reterr)
{
    int i = 0;
    enum rc rc = find_word(text, WORDS(anchors), &i, reterr);

    if (rc == RC_OK)
        *ret = (enum anchor)i;
    return rc;
}

enum rc window_rule_parse(struct str text, enum window_rule *ret, struct err *reterr)
{
    int i = 0;
    enum rc rc = find_word(text, WORDS(window_rules), &i, reterr);

    if (rc == RC_OK)
        *ret = (enum window_rule)i;
    return rc;
}

enum rc shift_parse(struct str text, enum shift *ret, struct err *reterr)
{
    int i = 0;
    enum rc rc = find_word(text, WORDS(shifts), &i, reterr);

    if (rc == RC_OK)
        *ret = (enum shift)i;
    return rc;
}
