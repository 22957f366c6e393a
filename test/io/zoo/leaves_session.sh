# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Its child is in another session and holds no pipe.
setsid sleep 1000 <&- >&- 2>&- &
echo $!
