# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Writes its last line and ends when SIGTERM arrives, as programs should.
trap 'echo farewell; exit 0' TERM
echo ready
sleep 1000 &
wait
