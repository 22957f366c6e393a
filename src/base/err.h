/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How every fallible function reports failure.
 *
 * A function that can fail returns `enum rc` and takes `struct err *reterr` as its last
 * parameter.  On success *reterr is untouched; on failure every other out-parameter is.
 * The text is for the person who caused the failure: what is wrong, and what would be
 * right.  It is never allocated.
 */
#pragma once

#define MUST_USE          __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum {
    ERR_TEXT_MAX = 320, /* one sentence with a hint; longer text is cut */
    ERR_FIELD_MAX = 64, /* a path such as spec.cron[12].expr            */
};

enum rc {
    RC_OK,
    RC_INVALID,   /* the caller's input is wrong; retrying cannot help */
    RC_NOT_FOUND, /* what was named does not exist                     */
    RC_CONFLICT,  /* a precondition (version, uniqueness) did not hold */
    RC_LIMIT,     /* a named bound was reached                         */
    RC_BUSY,      /* try the very same thing again later               */
    RC_LOST,      /* the connection or the ownership is gone           */
    RC_CORRUPT,   /* stored data breaks an invariant; refuse to go on  */
    RC_UNKNOWN,   /* it may have happened; look before doing it again  */
    RC_COUNT
};

struct err {
    enum rc rc;
    int at;                    /* byte offset into the input text, or -1  */
    int len;                   /* bytes concerned from `at`, at least 0   */
    char field[ERR_FIELD_MAX]; /* which field, "" when there is no choice */
    char text[ERR_TEXT_MAX];
};

/*
 * Fills *reterr (field is set to "") and returns rc, so that callers `return err_set(...)`.
 * The text is UTF-8 whatever was put into it: a byte that is not becomes `?`, and a character
 * that does not fit is left out whole.
 */
enum rc err_set(struct err *reterr, enum rc rc, int at, int len, const char *fmt, ...)
    PRINTF(5, 6);

/* Puts `fmt` before what is already in reterr->field: "expr" becomes "spec.cron[0].expr". */
void err_in(struct err *reterr, const char *fmt, ...) PRINTF(2, 3);

/* A short name of the code, such as "invalid"; never NULL. */
const char *rc_name(enum rc rc);
