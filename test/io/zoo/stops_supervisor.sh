# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Stops its supervisor, which would end it.
kill -STOP $PPID
echo ready
sleep 1000
