/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comment over the end of its line: slots that hangs
 * on runs.
 *
 * What is
 *
 * told here is not a finding, for a paragraph ends in between.
 */
#define NAME "whatever"

static const char *help = "the value is "
                          "told\n"
                          "anew";
static const char *plain = "is" NAME "told";

int is_told(int whoever) /* but IS TOLD is */
{
    return whoever ? 'w' : help[0] + plain[0];
}
