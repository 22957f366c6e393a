# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Its child keeps the output open.
sleep 1000 &
echo $!
exit 5
