/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that looks like violations, but is not.
 */
#include "core/good.h"

#include <string.h>

#define LONG_MACRO(x) \
    if (x) {          \
        if (x) {      \
            if (x) {  \
                if (x) {
static const int table[2][2][2][2] = {{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};
static const char *const texts[] = {"http://example.org/{{{{", "\"}/* time(0) // */", "'{'"};
static const char quote = '"', brace = '{', escaped = '\'';

/* A chain is one decision, however long. */
static int chain(int x)
{
    for (int i = 0; i < x; i++) {
        if (x == 1) {
            x++;
        } else if (x == 2) {
            x++;
        } else if (x == 3) {
            x++;
        } else if (x == 4) {
            if (i)
                x++;
        } else {
            x++;
        }
    }
    return x;
}

static int by_case(const struct good *good, int x)
{
    switch (x) {
    case 1:
        return good->time(1, 2, 3, 4, 5, 6, 7);
    case '{': {
        int deep[2][2] = {{1, 2}, {3, 4}};

        return deep[0][0] + table[0][0][0][0];
    }
    default:
        return good->runtime ? quote + brace : escaped;
    }
}

/* A comment with // in it, and with strcpy(a, b) and a lone { too. */
int good_use(const struct good *good, int x)
{
    return chain(x) + by_case(good, x) + (int)strlen(texts[x % 3]);
}
