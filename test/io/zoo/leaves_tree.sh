# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Three generations, each in a session of its own.
setsid sh -c '
    echo $$
    setsid sh -c "echo \$\$; setsid sleep 1000 & echo \$!; echo ready; wait" &
    wait' &
wait
