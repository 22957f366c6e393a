/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON view knows of the document: where each member is in the text, and what may be there. */
import { get } from "../lib/api.js";
import { signal } from "../lib/html.js";
import { isPlain } from "./editor-doc.js";

/** @type {import("../vendor/signals.js").Signal<any>} */
export const schemas = signal(null);
let isAsked = false;

/** Loads the schemas of the API, once. */
export function loadSchemas() {
    if (isAsked) return;
    isAsked = true;
    get("/openapi.json").then(
        (api) => (schemas.value = api.components.schemas),
        () => (isAsked = false),
    );
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/gy;

/**
 * Where each member of a JSON text is: by its path, from the beginning of its name to the end of its
 * value.  Of a text that is not JSON, the part before the mistake.
 * @param {string} text
 */
export function locate(text) {
    /** @type {Map<string, {from: number, to: number}>} */
    const places = new Map();
    TOKEN.lastIndex = 0;
    let token = "";
    let from = 0;
    let to = 0;
    const next = () => {
        const found = TOKEN.exec(text);
        if (!found) throw new SyntaxError("end");
        token = found[1];
        to = TOKEN.lastIndex;
        from = to - token.length;
    };
    /** @param {string} path @param {number} start */
    const value = (path, start) => {
        if (token === "{") members(path);
        else if (token === "[") entries(path);
        places.set(path, { from: start, to });
    };
    const members = (/** @type {string} */ path) => {
        for (next(); token !== "}"; next()) {
            if (token === ",") next();
            const name = JSON.parse(token);
            const start = from;
            next();
            next();
            value(path ? `${path}.${name}` : name, start);
        }
    };
    const entries = (/** @type {string} */ path) => {
        let at = 0;
        for (next(); token !== "]"; next()) {
            if (token === ",") next();
            value(`${path}[${at++}]`, from);
        }
    };
    try {
        next();
        value("", from);
    } catch {
        /* The text is being typed. */
    }
    return places;
}

/**
 * The innermost member at a position of the text.
 * @param {Map<string, {from: number, to: number}>} places
 * @param {number} at
 */
export function memberAt(places, at) {
    let best = "";
    let size = Infinity;
    for (const [path, { from, to }] of places)
        if (from <= at && at <= to && to - from < size) [best, size] = [path, to - from];
    return best;
}

/** @param {any} schema @returns {any} */
function resolve(schema) {
    let found = schema;
    while (found?.$ref) {
        const { $ref, ...own } = found;
        found = { ...schemas.value[$ref.split("/").at(-1)], ...own };
    }
    return found;
}

/** The schemas of which one applies to a value. @param {any} schema @param {any} value @returns {any[]} */
function choices(schema, value) {
    const one = resolve(schema);
    if (!one) return [];
    const named = one.discriminator?.mapping?.[value?.type];
    if (named) return [resolve({ $ref: named })];
    return one.anyOf || one.oneOf
        ? (one.anyOf ?? one.oneOf).flatMap((/** @type {any} */ each) => choices(each, value))
        : [one];
}

/** @param {any} value */
function typeName(value) {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    return isPlain(value)
        ? "object"
        : typeof value === "string" || typeof value === "boolean"
          ? typeof value
          : "number";
}

/** The schema for a value of this type, of several. @param {any} schema @param {any} value */
function fitting(schema, value) {
    const type = typeName(value);
    const all = choices(schema, value);
    const typeOf = (/** @type {any} */ one) =>
        [one.type ?? (one.const !== undefined ? typeName(one.const) : type)].flat();
    return (
        all.find((one) =>
            typeOf(one).some((name) => name === type || (name === "integer" && type === "number")),
        ) ?? null
    );
}

/** The allowed words, without the null that means the default. @param {any} schema @returns {any[]} */
const wordsOf = (schema) => (schema?.enum ?? []).filter((/** @type {any} */ word) => word !== null);

/** How many letters two names differ in, roughly. @param {string} a @param {string} b */
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
        row = next;
    }
    return row[b.length];
}

/**
 * Names that the server does not know, and words that are not in a list of allowed ones.  Anything
 * else is left to the server.
 * @param {any} value @param {any} [schema] @param {string} [path]
 * @returns {Array<{field: string, message: string}>}
 */
export function checkDoc(value, schema = { $ref: "#/ScheduleInput" }, path = "") {
    if (!schemas.value) return [];
    const one = fitting(schema, value);
    if (!one) return [];
    if (one.enum && !one.enum.includes(value))
        return [
            {
                field: path,
                message: `must be one of ${wordsOf(one).join(", ")}`,
            },
        ];
    if (Array.isArray(value) && one.items)
        return value.flatMap((entry, i) => checkDoc(entry, one.items, `${path}[${i}]`));
    if (!isPlain(value) || !one.properties) return [];
    return Object.entries(value).flatMap(([name, member]) => {
        const field = path ? `${path}.${name}` : name;
        if (one.properties[name]) return checkDoc(member, one.properties[name], field);
        if (one.additionalProperties !== false) return [];
        const names = Object.keys(one.properties);
        const near = names.toSorted((a, b) => distance(a, name) - distance(b, name))[0];
        return [{ field, message: `unknown name; did you mean ${near}? Known: ${names.join(", ")}` }];
    });
}

/**
 * What the schema says about a member: description, type, words, default.
 * @param {any} doc @param {import("./editor-doc.js").Path} path
 */
export function helpFor(doc, path) {
    if (!schemas.value) return null;
    let schema = { $ref: "#/ScheduleInput" };
    let value = doc;
    for (const name of path) {
        const one = fitting(schema, value);
        const next = typeof name === "number" ? one?.items : one?.properties?.[name];
        if (!next) return null;
        schema = next;
        value = value?.[name];
    }
    const all = choices(schema, value).filter((one) => one.type !== "null");
    const own = resolve(schema);
    const one = fitting(schema, value) ?? all[0];
    const shown = { ...one, ...own };
    return {
        text: own?.description ?? one?.description ?? all.find((each) => each.description)?.description ?? "",
        type: [...new Set(all.flatMap((each) => each.type ?? []))]
            .filter((type) => type !== "null")
            .join(" or "),
        words: wordsOf(shown.enum ? shown : one),
        usual: shown.default,
        members: one?.properties ? Object.keys(one.properties) : [],
    };
}
