# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Its output ends long before it does.
echo last words
exec >&- 2>&-
cat >/dev/null
exit 3
