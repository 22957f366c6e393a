/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How functions report failure.
 *
 * A function that can fail returns `enum rc` and takes `struct err *reterr` as its last
 * parameter.  On success it leaves *reterr unchanged; on failure it leaves every other output
 * unchanged.  The text is for the person who caused the failure: it says what is wrong and
 * what would be right.  It is never allocated.
 */
#pragma once

#define MUST_USE          __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum {
    ERR_TEXT_MAX = 320, /* one sentence with a hint; longer text is truncated */
    ERR_FIELD_MAX = 64, /* a path such as spec.cron[12].expr                  */
};

enum rc {
    RC_OK,
    RC_INVALID,   /* the caller's input is wrong; retrying cannot help */
    RC_NOT_FOUND, /* the named object does not exist                   */
    RC_CONFLICT,  /* a precondition (version, uniqueness) did not hold */
    RC_LIMIT,     /* a named limit was reached                         */
    RC_BUSY,      /* retry the same call later                         */
    RC_LOST,      /* the connection or the ownership is gone           */
    RC_CORRUPT,   /* stored data breaks an invariant; do not continue  */
    RC_UNKNOWN,   /* it may have happened; check before a retry        */
    RC_COUNT
};

struct err {
    enum rc rc;
    int at;                    /* byte offset into the input text, or -1 */
    int len;                   /* bytes concerned from `at`, at least 0  */
    char field[ERR_FIELD_MAX]; /* which field; "" when there is only one */
    char text[ERR_TEXT_MAX];
};

/*
 * Fills *reterr (field is set to "") and returns rc, so that callers can `return err_set(...)`.
 * The text is always valid UTF-8: an invalid byte becomes `?`, and a character that fits only
 * in part is left out.
 */
enum rc err_set(struct err *reterr, enum rc rc, int at, int len, const char *fmt, ...)
    PRINTF(5, 6);

/* Prepends `fmt` to reterr->field: "expr" becomes "spec.cron[0].expr".  Returns reterr->rc. */
enum rc err_in(struct err *reterr, const char *fmt, ...) PRINTF(2, 3);

/* RC_INVALID for a field, with this text. */
enum rc err_field(struct err *reterr, const char *field, const char *text);

/* Replaces reterr->field; "": none.  Returns reterr->rc. */
enum rc err_rename(struct err *reterr, const char *field);

/* A short name of the code, such as "invalid"; never NULL. */
const char *rc_name(enum rc rc);
