/* SPDX-License-Identifier: Apache-2.0 */
#include "store/outer.h"
#include "store/rows.h"
