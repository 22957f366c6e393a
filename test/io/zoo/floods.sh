# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Fifty million bytes without an end of line, then the same in short lines.
head -c 50000000 /dev/zero
yes | head -c 50000000 >&2
