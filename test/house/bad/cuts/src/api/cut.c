/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are cut at a byte. */
void show(struct buf *out, struct err *reterr, const char *name, char text[static 64])
{
    buf_printf(out, "schedule %.100s", name);
    snprintf(text, 64,
             "%.20s: %d", name, 7);
    err_set(reterr, RC_INVALID, -1, 0, "invalid name %.100s", name);
    buf_printf(out, "%.*s and %.3f", STR_ARG(str_of(name)), 0.5);
}
