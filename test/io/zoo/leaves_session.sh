# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A signal to the process group does not reach it, nor does the end of the pipes.
setsid sleep 1000 <&- >&- 2>&- &
echo $!
