# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Who waits for the end of its output waits for the child.
sleep 1000 &
echo $!
exit 5
