/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of SQLSTATEs with their codes and hints.
 */
#include "db/postgres_error.h"

#include <stddef.h>
#include <string.h>

enum { STATE_LEN = 5 };

struct meaning {
    const char *state; /* complete, or the beginning of several */
    enum rc rc;
    const char *hint;
};

/* Appendix A of PostgreSQL's manual; the first match counts. */
static const struct meaning meanings[] = {
    {"08007", RC_UNKNOWN, NULL}, /* a pooler lost the server during COMMIT */
    {"40003", RC_UNKNOWN, NULL},
    {"08", RC_LOST, NULL},
    {"23505", RC_CONFLICT, "a row with this key already exists"},
    {"25006", RC_LOST, "this server is a standby: name the primary in the URL"},
    {"25P03", RC_LOST, NULL}, /* it was idle in a transaction for too long */
    {"26000", RC_LOST, "a connection pooler must keep sessions (pool_mode=session)"},
    {"40", RC_BUSY, NULL}, /* deadlock, serialization */
    {"53100", RC_LIMIT, "free disk space on the database server"},
    {"53300", RC_BUSY, "raise max_connections, or use fewer connections"},
    {"53", RC_LIMIT, "give the database server more memory or disk"},
    {"54", RC_LIMIT, "write or read less at once"},
    {"55P03", RC_BUSY, NULL}, /* lock_timeout */
    {"57014", RC_BUSY, NULL}, /* cancelled by an administrator or by statement_timeout */
    {"57P03", RC_BUSY, "the server is starting or stopping"},
    {"57P", RC_LOST, NULL}, /* shutdown, crash of another backend, session timeouts */
    {"58", RC_LOST, "check the log of the database server"},
    {"XX001", RC_CORRUPT, "the database is damaged: restore a backup"},
    {"XX002", RC_CORRUPT, "an index is damaged: REINDEX it"},
};

static const struct meaning *find_meaning(const char *state)
{
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (str_starts(str_of(state), str_of(meanings[i].state)))
            return &meanings[i];
    return NULL;
}

enum rc postgres_rc(const char *state, bool readonly)
{
    const struct meaning *meaning = find_meaning(state);

    /* A reader that writes is a bug; one that reads for too long requests too much. */
    if (readonly && strcmp(state, "25006") == 0)
        return RC_INVALID;
    if (readonly && strcmp(state, "57014") == 0)
        return RC_LIMIT;
    return meaning ? meaning->rc : RC_INVALID;
}

const char *postgres_hint(const char *state, enum rc rc)
{
    const struct meaning *meaning = find_meaning(state);

    if (meaning && meaning->hint)
        return meaning->hint;
    switch (rc) {
    case RC_BUSY:
        return "try again";
    case RC_LIMIT:
        return "the read took too long: ask for less at once";
    case RC_LOST:
    case RC_UNKNOWN:
        return "a new connection is needed";
    default:
        return "";
    }
}

static bool is_state_char(char c)
{
    return char_is_digit(c) || (c >= 'A' && c <= 'Z');
}

static bool is_state(struct str s)
{
    if (s.len < STATE_LEN + 1 || s.ptr[STATE_LEN] != ':')
        return false;
    for (size_t i = 0; i < STATE_LEN; i++)
        if (!is_state_char(s.ptr[i]))
            return false;
    return true;
}

bool postgres_state_in(struct str message, char ret_state[6])
{
    /* Two blanks separate the severity, which is translated, from the state. */
    for (; message.len > 3; message = str_from(message, 1)) {
        if (!str_starts(message, STR(":  ")) || !is_state(str_from(message, 3)))
            continue;
        memcpy(ret_state, message.ptr + 3, STATE_LEN);
        ret_state[STATE_LEN] = '\0';
        return true;
    }
    return false;
}
