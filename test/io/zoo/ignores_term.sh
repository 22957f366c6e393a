# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Ignores SIGTERM, and so do its children.
trap '' TERM
echo ready
while :; do sleep 1000; done
