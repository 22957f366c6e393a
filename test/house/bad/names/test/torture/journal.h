/* SPDX-License-Identifier: Apache-2.0 */
struct journal {
    int lines;
};
