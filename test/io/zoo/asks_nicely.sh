# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What programs should do: end by SIGTERM, with a word of farewell.
trap 'echo farewell; exit 0' TERM
echo ready
sleep 1000 &
wait
