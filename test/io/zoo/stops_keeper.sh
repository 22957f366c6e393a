# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Stops the process that would stop it.
kill -STOP $PPID
echo ready
sleep 1000
