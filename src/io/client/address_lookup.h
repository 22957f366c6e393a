/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of a host name, as a question for io/lookup.h.
 */
#pragma once

#include "io/lookup.h"

/* A lookup_fn.  No answer while no name server can be reached. */
bool address_lookup(void *arg, const char *host, struct lookup_answer *ret);
