/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the tables about access: see store/tables.h.
 */
#pragma once

/* clang-format off */

#define TOKEN_COLUMNS(FIRST, NEXT)                                                   \
    FIRST(1, id, INT) NEXT(2, namespace, INT) NEXT(3, role, INT) NEXT(4, name, TEXT) \
    NEXT(5, hash, HASH) NEXT(6, created_at, INT) NEXT(7, created_by, TEXT)           \
    NEXT(8, expires_at, INT) NEXT(9, used_at, INT)
#define SESSION_COLUMNS(FIRST, NEXT)                                        \
    FIRST(1, id, INT) NEXT(2, token, INT) NEXT(3, hash, HASH)               \
    NEXT(4, created_at, INT) NEXT(5, expires_at, INT)
#define AUDIT_COLUMNS(FIRST, NEXT)                                             \
    FIRST(1, node, INT) NEXT(2, seq, INT) NEXT(3, count, INT) NEXT(4, at, INT) \
    NEXT(5, body, BLOB) NEXT(6, prior, HASH) NEXT(7, hash, HASH)

/* clang-format on */
