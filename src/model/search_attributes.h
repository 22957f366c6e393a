/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search attributes that a namespace of Temporal defines: names and types, from the
 * settings of the namespace or from its upstream; and whether a value fits a type.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "wire/temporal.pb-c.h"

enum {
    SEARCH_ATTRIBUTES_MAX = 1000, /* of a namespace: an upstream has at most a few hundred    */
    SEARCH_ATTRIBUTE_VALUE_MAX = 2048, /* bytes of one value, as in Temporal */
    SEARCH_ATTRIBUTES_SET_MAX = 100, /* of one schedule, as in Temporal                       */
};

/* The numbers of Temporal's IndexedValueType. */
enum attribute_type {
    ATTRIBUTE_NONE,
    ATTRIBUTE_TEXT,
    ATTRIBUTE_KEYWORD,
    ATTRIBUTE_INT,
    ATTRIBUTE_DOUBLE,
    ATTRIBUTE_BOOL,
    ATTRIBUTE_DATETIME,
    ATTRIBUTE_KEYWORD_LIST,
    ATTRIBUTE_TYPES,
};

struct search_attribute {
    struct str name;
    enum attribute_type type;
};

struct search_attributes {
    struct search_attribute *at;
    int count;
};

/* "Keyword"; of ATTRIBUTE_NONE "Unspecified". */
const char *attribute_type_text(enum attribute_type type);
/* ATTRIBUTE_NONE: unknown. */
enum attribute_type attribute_type_of(struct str text);

/* ATTRIBUTE_NONE: the list does not have it. */
enum attribute_type search_attributes_type(const struct search_attributes *list,
                                           struct str name);

/* The attributes that Temporal defines itself and users may set or query on schedules. */
extern const struct search_attributes search_attributes_predefined;

/* True for attributes that Temporal sets itself. */
bool search_attribute_is_system(struct str name);

/* A copy with the texts in the arena. */
struct search_attributes search_attributes_copy(const struct search_attributes *list,
                                                struct arena *arena);

/* From the answer of ListSearchAttributes; false: it cannot be read. */
bool search_attributes_of_answer(struct str message, struct arena *arena,
                                 struct search_attributes *ret);

/*
 * Checks the attributes that a client sets, with the errors of Temporal.  `namespace` is for
 * their texts.
 */
MUST_USE enum rc search_attributes_check(const struct search_attributes *list,
                                         const Temporal__Fields *fields, struct str namespace,
                                         struct err *reterr);
