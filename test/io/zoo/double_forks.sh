# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The classical daemon: a grandchild whose parent is gone.
(
    sleep 1000 &
    echo $!
)
