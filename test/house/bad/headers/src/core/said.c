/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Says what it is for.
 */
int said;
