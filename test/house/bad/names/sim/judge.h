/* SPDX-License-Identifier: Apache-2.0 */
struct court {
    int life;
};
