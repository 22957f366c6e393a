# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Never ends by itself.
exec yes
