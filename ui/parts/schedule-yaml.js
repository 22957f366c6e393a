/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON value as YAML 1.2.  Texts are in quotes unless they cannot be taken for anything else. */
import { isPlain } from "./editor-doc.js";

/** Words that YAML readers of version 1.1 take for other things. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** @param {string} text */
const textOf = (text) =>
    /^[A-Za-z/][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/.test(text) && !WORDS.test(text)
        ? text
        : JSON.stringify(text);

/** @param {any} value */
const isBranch = (value) => (Array.isArray(value) || isPlain(value)) && Object.keys(value).length > 0;

/** @param {any} value */
const leaf = (value) => (typeof value === "string" ? textOf(value) : JSON.stringify(value));

/** @param {any} value @param {string} indent @returns {string[]} */
function lines(value, indent) {
    if (Array.isArray(value))
        return value.flatMap((entry) => {
            if (!isBranch(entry)) return [`${indent}- ${leaf(entry)}`];
            const [first, ...rest] = lines(entry, `${indent}  `);
            return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
        });
    return Object.entries(value).flatMap(([name, entry]) =>
        isBranch(entry)
            ? [`${indent}${textOf(name)}:`, ...lines(entry, `${indent}  `)]
            : [`${indent}${textOf(name)}: ${leaf(entry)}`],
    );
}

/** @param {any} value */
export const yamlOf = (value) => (isBranch(value) ? lines(value, "").join("\n") + "\n" : `${leaf(value)}\n`);
