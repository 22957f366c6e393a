/* SPDX-License-Identifier: Apache-2.0 */
/*
 * must(): an assertion that is always on, in release too.
 *
 * For invariants only.  A condition that a user, a client or a damaged row can cause is an
 * error (base/err.h), never a must().  A broken invariant ends the process: the design is
 * crash-only.
 */
#pragma once

_Noreturn void must_fail(const char *what, const char *file, int line);

#define must(x) ((x) ? (void)0 : must_fail(#x, __FILE__, __LINE__))
