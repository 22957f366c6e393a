# SPDX-License-Identifier: Apache-2.0
# Never ends by itself.
exec yes
