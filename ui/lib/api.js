/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the server.  A browser has a session cookie or, on loopback without tokens, needs
 * none, so nothing here ever holds a token.
 */
import { signal } from "./html.js";
import { query } from "./router.js";

/** Whether the server can be reached: "ok", "down", or "login" if it wants a token. */
export const connection = signal("ok");

/** Milliseconds that the server's clock is ahead of the browser's. */
export const clockOffset = signal(0);

/** The namespace of the page: in the address, so that links keep it; empty: the caller's own. */
export function namespace() {
    return query.value.namespace ?? "";
}

/** An error that the server has explained (RFC 9457), or a lost connection (status 0). */
export class ApiError extends Error {
    /** @param {number} status @param {Record<string, any>} problem */
    constructor(status, problem) {
        super(problem.detail || problem.title || `the server answered ${status}`);
        this.name = "ApiError";
        this.status = status;
        this.code = problem.code ?? "";
        this.field = problem.field ?? null;
        this.at = problem.at ?? null;
        this.requestId = problem.requestId ?? null;
        /** Seconds after which the request may be sent again. */
        this.retryAfter = Number(problem.retryAfter ?? 0) || 0;
    }
}

/**
 * The path and query of a request.  Undefined, null and empty values are left out; lists are
 * separated by commas.
 * @param {string} path @param {Record<string, any>} [values]
 */
export function address(path, values = {}) {
    const search = new URLSearchParams();
    const all = path.startsWith("/api/v1/") && namespace() ? { namespace: namespace(), ...values } : values;
    for (const [name, value] of Object.entries(all)) {
        const text = Array.isArray(value) ? value.join(",") : (value ?? "");
        if (text !== "") search.set(name, String(text));
    }
    const text = search.toString();
    return text ? `${path}?${text}` : path;
}

/** A path from segments, each escaped. @param {string[]} segments */
export function v1(...segments) {
    return "/api/v1/" + segments.map(encodeURIComponent).join("/");
}

/** @param {Response} response @param {number} began */
function noteDate(response, began) {
    const date = Date.parse(response.headers.get("Date") ?? "");
    const took = Date.now() - began;
    /* The header has whole seconds: half a second is the best guess.  Smaller differences than
       that, and answers that took long, say nothing. */
    if (Number.isNaN(date) || took > 1000) return;
    const offset = date + 500 - (began + took / 2);
    clockOffset.value = Math.abs(offset) < 1500 ? 0 : offset;
}

/** @param {Response} response */
async function problemOf(response) {
    const type = response.headers.get("Content-Type") ?? "";
    const text = await response.text();
    try {
        return type.includes("json") ? JSON.parse(text) : { detail: text.slice(0, 500) };
    } catch {
        return { detail: text.slice(0, 500) };
    }
}

/**
 * Sends a request.  Returns the parsed answer, or null if it is empty; with `raw`, the text of the
 * answer, in which numbers are as the server wrote them.
 * @param {string} method @param {string} path
 * @param {{query?: Record<string, any>, body?: any, headers?: Record<string, string>,
 *     signal?: AbortSignal, raw?: boolean}} [options]
 * @returns {Promise<any>}
 */
export async function request(method, path, options = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", ...options.headers };
    let body;
    if (options.body !== undefined) {
        headers["Content-Type"] ??= "application/json";
        body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
    }
    const began = Date.now();
    let response;
    try {
        response = await fetch(address(path, options.query), {
            method,
            headers,
            body,
            signal: options.signal,
            cache: "no-store",
        });
    } catch (error) {
        if (/** @type {Error} */ (error).name === "AbortError") throw error;
        connection.value = "down";
        throw new ApiError(0, { detail: "the server does not answer", code: "down" });
    }
    noteDate(response, began);
    if (response.status === 401) connection.value = "login";
    else if (connection.value === "down") connection.value = "ok";
    if (!response.ok) {
        const retryAfter = response.headers.get("Retry-After");
        throw new ApiError(response.status, { retryAfter, ...(await problemOf(response)) });
    }
    if (response.status === 204) return null;
    const type = response.headers.get("Content-Type") ?? "";
    return type.includes("json") && !options.raw ? response.json() : response.text();
}

/** @param {string} path @param {Record<string, any>} [values] @param {AbortSignal} [abort] */
export const get = (path, values, abort) => request("GET", path, { query: values, signal: abort });
/** @param {string} path @param {any} [body] @param {Record<string, any>} [values] */
export const post = (path, body = {}, values) => request("POST", path, { body, query: values });
/** @param {string} path @param {any} body @param {Record<string, string>} [headers] */
export const put = (path, body, headers) => request("PUT", path, { body, headers });
/** @param {string} path @param {any} body @param {Record<string, string>} [headers] */
export const patch = (path, body, headers) => request("PATCH", path, { body, headers });
/** @param {string} path @param {Record<string, string>} [headers] */
export const del = (path, headers) => request("DELETE", path, { headers });

/**
 * Reads all pages of a list, up to a number of entries; says if there are more.
 * @param {string} path @param {string} member @param {Record<string, any>} values
 * @param {number} most @param {AbortSignal} [abort]
 */
export async function getAll(path, member, values, most, abort) {
    const entries = [];
    let cursor = null;
    do {
        const page = await get(path, { limit: Math.min(1000, most), ...values, cursor }, abort);
        entries.push(...page[member]);
        cursor = page.cursor;
    } while (cursor && entries.length < most);
    return { entries, more: cursor !== null };
}
