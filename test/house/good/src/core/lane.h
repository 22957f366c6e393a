/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that are plain here and were given up elsewhere.
 */
#pragma once

enum known_lane { KNOWN_LANES_MAX = 4 };

struct subject {
    int process, place, print;
};

int lane_settle(struct subject *subject);
int print_lane(const struct subject *subject);
