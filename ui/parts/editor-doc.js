/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document of the editor.  It is a JSON value that is never changed in place; the form and the
 * text both show it.  Members that the form does not know pass through untouched, and numbers that
 * JavaScript cannot represent (beyond 2^53, or 1.0) keep the text that the server sent.
 */
import { get, request, v1 } from "../lib/api.js";

/** @typedef {Array<string | number>} Path */

/** JSON.rawJSON and the source text of a number; browsers of 2025 and later have both. */
const exact = /** @type {any} */ (JSON);

/** @param {string} text @returns {any} */
export function parseDoc(text) {
    return JSON.parse(
        text,
        /** @type {any} */ (
            (/** @type {string} */ _, /** @type {any} */ value, /** @type {any} */ context) =>
                typeof value === "number" &&
                context?.source &&
                exact.rawJSON &&
                JSON.stringify(value) !== context.source
                    ? exact.rawJSON(context.source)
                    : value
        ),
    );
}

/** @param {any} value */
export const printDoc = (value) => JSON.stringify(value, null, 2);

/** @param {any} a @param {any} b */
export const sameDoc = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Whether a value is an object with members that a form may show. @param {any} value */
export const isPlain = (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && !exact.isRawJSON?.(value);

/** @param {any} value @param {Path} path */
export function getIn(value, path) {
    let found = value;
    for (const name of path) {
        if (found === null || typeof found !== "object" || !Object.hasOwn(found, name)) return undefined;
        found = found[name];
    }
    return found;
}

/** Objects that mean nothing when they are empty: they go with their last member. */
const VANISH = new Set(["policies", "catchup", "retry", "lease", "retention", "exclude", "limits"]);

/** @param {any} object @param {string} name @param {any} value */
function defineMember(object, name, value) {
    /* By definition rather than assignment, because of names such as __proto__. */
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A copy of `value` with another member at `path`; undefined removes the member.
 * @param {any} value @param {Path} path @param {any} member @returns {any}
 */
export function setIn(value, path, member) {
    if (path.length === 0) return member;
    const [name, ...rest] = path;
    const entry = setIn(value === undefined ? undefined : getIn(value, [name]), rest, member);
    if (typeof name === "number") {
        const list = Array.isArray(value) ? [...value] : [];
        if (entry === undefined) list.splice(name, 1);
        else list[name] = entry;
        return list;
    }
    const object = isPlain(value) ? { ...value } : {};
    const isEmptied =
        member === undefined && VANISH.has(name) && isPlain(entry) && Object.keys(entry).length === 0;
    if (entry === undefined || isEmptied) delete object[name];
    else defineMember(object, name, entry);
    return object;
}

/** "spec.cron[0].expr". @param {Path} path */
export const fieldName = (path) =>
    path.map((name, i) => (typeof name === "number" ? `[${name}]` : i ? `.${name}` : name)).join("");

/** The path of a field as the server names it. @param {string} field @returns {Path} */
export function fieldPath(field) {
    const names = field.match(/[^.[\]]+|\[\d+\]/g) ?? [];
    return names.map((name) => (name.startsWith("[") ? Number(name.slice(1, -1)) : name));
}

/** The members of an object that are not in `known`, or null. @param {any} value @param {string[]} known */
export function unknownMembers(value, known) {
    if (!isPlain(value)) return null;
    const rest = Object.entries(value).filter(([name]) => !known.includes(name));
    return rest.length > 0 ? Object.fromEntries(rest) : null;
}

/**
 * The leaves in which two documents differ, as [path, before, after].  Lists are compared as a whole.
 * @param {any} before @param {any} after @param {Path} [path] @returns {Array<[Path, any, any]>}
 */
export function differences(before, after, path = []) {
    if (sameDoc(before, after)) return [];
    if (!isPlain(before) || !isPlain(after)) return [[path, before, after]];
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(before[name], after[name], [...path, name]));
}

/**
 * The schedule as a document that can be saved again, without defaults, and its version.
 * @param {string} id @param {AbortSignal} [abort]
 */
export async function loadDoc(id, abort) {
    const { state } = await get(v1("schedules", id), { fields: "state" }, abort);
    /* The id itself is the first of all ids that begin with it; a page may be empty. */
    let cursor = null;
    do {
        const query = { prefix: id, limit: 1, cursor };
        const page = parseDoc(await request("GET", "/api/v1/export", { query, signal: abort, raw: true }));
        const doc = page.items.find((/** @type {any} */ item) => item.id === id);
        if (doc) return { doc, state, version: state.version };
        cursor = page.items.length === 0 ? page.cursor : null;
    } while (cursor);
    throw new Error(`schedule "${id}" does not exist`);
}
