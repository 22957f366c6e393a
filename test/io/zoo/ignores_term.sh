# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Cannot be asked to end, and neither can what it started.
trap '' TERM
echo ready
while :; do sleep 1000; done
