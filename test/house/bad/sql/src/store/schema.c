/* SPDX-License-Identifier: Apache-2.0 */
#define RUNS "CREATE INDEX runs_ready ON runs (lane) WHERE state = 3;"
