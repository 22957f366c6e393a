# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A stopped process does not end by SIGTERM alone.
echo ready
kill -STOP $$
exit 7
