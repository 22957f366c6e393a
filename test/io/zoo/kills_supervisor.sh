# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Kills its supervisor, which would clean up after it.
setsid sleep 1000 &
echo $!
sleep 1000 &
echo $!
kill -KILL $PPID
sleep 1000
