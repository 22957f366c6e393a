/* SPDX-License-Identifier: Apache-2.0 */
#define EACH(i, n) for (int i = 0; i < (n); i++)

/* No brace shows how deep this is. */
int without_braces(int n)
{
    for (int i = 0; i < n; i++)
        while (n > i)
            if (n % 2)
                if (n % 3)
                    n--;
    return n;
}

int else_counts(int n)
{
    if (n > 3) {
        n--;
    } else {
        do {
            switch (n) {
            case 1:
                if (n)
                    n--;
                break;
            default:
                break;
            }
        } while (n > 2);
    }
    return n;
}

int macro_loops(int n)
{
    EACH(a, n) {
        EACH(b, a) {
            EACH(c, b) {
                EACH(d, c)
                {
                    n += d;
                }
            }
        }
    }
    return n;
}
