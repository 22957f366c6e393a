/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last step of every API that writes schedules: from a complete document to the engine.
 */
#pragma once

#include "api/call/call.h"
#include "model/schedule_json.h"

/* A document with the server's default policies; an empty id: one is generated later. */
struct schedule_doc schedule_doc_initial(const struct call *call, struct str id);

/*
 * Compiles a document that passes schedule_check(); its namespace becomes the call's, and an
 * empty id a generated one.  *ret is in the call's arena or points to the document; the caller
 * may change it.  Errors name the field of the native document.
 */
MUST_USE enum rc schedule_compile(struct call *call, struct schedule_doc *doc,
                                  enum dialects dialect, struct draft **ret,
                                  struct err *reterr);
