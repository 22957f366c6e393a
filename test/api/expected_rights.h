/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles that may send each operation, for test_rights.c.
 */
#pragma once

struct expected_right {
    const char *id;
    /* v(iewer) o(perator) e(ditor) a(dmin) w(orker), A: admin of all namespaces, *: anyone */
    const char *who;
};
extern const struct expected_right expected_rights[];
extern const int expected_right_count;
