/* SPDX-License-Identifier: Apache-2.0 */
static const char *const statement = "SELECT id FROM runs WHERE state >= 5";
