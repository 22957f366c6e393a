/* SPDX-License-Identifier: Apache-2.0 */
/* The states are from appendix A of PostgreSQL's manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "db/postgres_error.h"

static const struct {
    const char *state;
    enum rc writer, reader;
} states[] = {
    {"00000", RC_INVALID, RC_INVALID},   /* never an error */
    {"08006", RC_LOST, RC_LOST},         /* connection_failure */
    {"08007", RC_UNKNOWN, RC_UNKNOWN},   /* transaction_resolution_unknown */
    {"0A000", RC_INVALID, RC_INVALID},   /* feature_not_supported */
    {"22003", RC_INVALID, RC_INVALID},   /* numeric_value_out_of_range */
    {"22021", RC_INVALID, RC_INVALID},   /* character_not_in_repertoire */
    {"23502", RC_INVALID, RC_INVALID},   /* not_null_violation */
    {"23505", RC_CONFLICT, RC_CONFLICT}, /* unique_violation */
    {"25006", RC_LOST, RC_INVALID},      /* read_only_sql_transaction */
    {"25P03", RC_LOST, RC_LOST},         /* idle_in_transaction_session_... */
    {"26000", RC_LOST, RC_LOST},         /* invalid_sql_statement_name */
    {"28P01", RC_INVALID, RC_INVALID},   /* invalid_password */
    {"3D000", RC_INVALID, RC_INVALID},   /* invalid_catalog_name */
    {"40001", RC_BUSY, RC_BUSY},         /* serialization_failure */
    {"40003", RC_UNKNOWN, RC_UNKNOWN},   /* statement_completion_unknown */
    {"40P01", RC_BUSY, RC_BUSY},         /* deadlock_detected */
    {"42P01", RC_INVALID, RC_INVALID},   /* undefined_table */
    {"53100", RC_LIMIT, RC_LIMIT},       /* disk_full */
    {"53200", RC_LIMIT, RC_LIMIT},       /* out_of_memory */
    {"53300", RC_BUSY, RC_BUSY},         /* too_many_connections */
    {"54000", RC_LIMIT, RC_LIMIT},       /* program_limit_exceeded */
    {"55P03", RC_BUSY, RC_BUSY},         /* lock_not_available */
    {"57014", RC_BUSY, RC_LIMIT},        /* query_canceled */
    {"57P01", RC_LOST, RC_LOST},         /* admin_shutdown */
    {"57P02", RC_LOST, RC_LOST},         /* crash_shutdown */
    {"57P03", RC_BUSY, RC_BUSY},         /* cannot_connect_now */
    {"57P05", RC_LOST, RC_LOST},         /* idle_session_timeout */
    {"58030", RC_LOST, RC_LOST},         /* io_error */
    {"XX000", RC_INVALID, RC_INVALID},   /* internal_error */
    {"XX001", RC_CORRUPT, RC_CORRUPT},   /* data_corrupted */
    {"XX002", RC_CORRUPT, RC_CORRUPT},   /* index_corrupted */
};

static void every_state_has_its_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        enum rc writer = postgres_rc(states[i].state, false);
        enum rc reader = postgres_rc(states[i].state, true);

        if (writer != states[i].writer || reader != states[i].reader)
            fail_msg("%s: %s and %s", states[i].state, rc_name(writer), rc_name(reader));
    }
}

static void errors_that_users_can_fix_have_a_hint(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        const char *hint = postgres_hint(states[i].state, states[i].writer);

        assert_int_equal(hint[0] == '\0', states[i].writer == RC_INVALID);
    }
    assert_non_null(strstr(postgres_hint("53100", RC_LIMIT), "disk space"));
    assert_non_null(strstr(postgres_hint("57014", RC_LIMIT), "ask for less"));
}

static void a_refused_connection_has_a_state(void **state)
{
    char got[6] = "";

    (void)state;
    assert_true(postgres_state_in(
        STR("connection to server at \"h\" (::1), port 5432 failed: FATAL:  28P01: password "
            "authentication failed for user \"x\"\nLOCATION:  auth_failed, auth.c:338\n"),
        got));
    assert_string_equal(got, "28P01");
    assert_true(postgres_state_in(STR("VERH\xc3\x84NGNISVOLL:  3D000: Datenbank"), got));
    assert_string_equal(got, "3D000");
}

static void a_message_of_libpq_itself_has_no_state(void **state)
{
    static const char *const messages[] = {
        "",
        ":  ",
        "connection to server on socket \"/tmp/.s.PGSQL.5432\" failed: No such file",
        "FATAL:  28p01: lower case",
        "FATAL:  28P01 no colon",
        "FATAL: 28P01: one blank",
        "FATAL:  28P0",
    };
    char got[6] = "same";

    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
        assert_false(postgres_state_in(str_of(messages[i]), got));
    assert_string_equal(got, "same");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_has_its_code),
        cmocka_unit_test(errors_that_users_can_fix_have_a_hint),
        cmocka_unit_test(a_refused_connection_has_a_state),
        cmocka_unit_test(a_message_of_libpq_itself_has_no_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
