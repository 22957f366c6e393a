/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bare.h"

/* This comment comes too late to be that of the file. */
int bare;
