/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in the settings of a namespace.  The API never returns them; in their place it has
 * "set".  It replaces all settings at once, so each secret has to be entered again.
 */

/** Places of secrets: "*" stands for any name or index. */
const PLACES = [
    ["keys", "*", "*"],
    ["upstreams", "*", "apiKey"],
    ["upstreams", "*", "headers", "*"],
    ["upstreams", "*", "tls", "key"],
];

export const HIDDEN = "set";

/** @param {string[]} path */
const isPlace = (path) =>
    PLACES.some(
        (place) => place.length === path.length && place.every((one, i) => one === "*" || one === path[i]),
    );

/**
 * The paths of all hidden secrets.
 * @param {any} value @param {string[]} [path] @returns {string[][]}
 */
export function secretsOf(value, path = []) {
    if (value === HIDDEN && isPlace(path)) return [path];
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([name, one]) => secretsOf(one, [...path, name]));
}

/**
 * The settings with entered secrets in place of the hidden ones.
 * @param {any} settings @param {Record<string, string>} entered by path, joined by a line break
 */
export function withSecrets(settings, entered) {
    const copy = structuredClone(settings);
    for (const path of secretsOf(settings)) {
        const parent = path.slice(0, -1).reduce((at, name) => at[name], copy);
        parent[path[path.length - 1]] = entered[path.join("\n")];
    }
    return copy;
}
