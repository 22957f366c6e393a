# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Kills the process that would clean up after it.
setsid sleep 1000 &
echo $!
sleep 1000 &
echo $!
kill -KILL $PPID
sleep 1000
