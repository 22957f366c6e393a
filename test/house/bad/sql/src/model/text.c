/* SPDX-License-Identifier: Apache-2.0 */
static const char *const text = "in a text, state = 5 is a text";
