/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event stream: one per browser and namespace, however many tabs are open, because HTTP/1.1
 * allows six connections per host.  The tab that holds a Web Lock reads the stream and passes
 * events to the others by a BroadcastChannel.  Only visible tabs ask for the lock, so the stream
 * is closed while all tabs are hidden.
 *
 * Browsers' EventSource cannot report why a connection failed, so the stream is read by fetch.
 */
import { effect, signal } from "./html.js";
import { address, connection, namespace } from "./api.js";
import { query } from "./router.js";

/** "live", "connecting" or "off" (nobody may watch, or the page is hidden). */
export const liveState = signal("connecting");

const RETRY_FIRST = 500; /* milliseconds */
const RETRY_MAX = 8000;

/** @type {Set<(event: any) => void>} */
const listeners = new Set();

/** Calls `listener` for every event; "resync" means that events may have been lost. @param {(event: any) => void} listener */
export function subscribe(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** @param {any} event */
function tell(event) {
    for (const listener of [...listeners]) listener(event);
}

/** @type {BroadcastChannel | undefined} */
let channel;
/** @type {AbortController | undefined} */
let watching;
let position = "";

/** @param {any} message */
function receive(message) {
    if (message.id) position = message.id;
    if (message.state) liveState.value = message.state;
    if (message.state === "live" && connection.value === "down") connection.value = "ok";
    if (message.event) tell(message.event);
}

/** @param {any} message */
function share(message) {
    receive(message);
    channel?.postMessage(message);
}

/** Parses one event of the stream. @param {string} block */
function readBlock(block) {
    let name = "";
    let data = "";
    for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5).trim();
    }
    if (!data) return;
    const event = JSON.parse(data);
    if (name === "begin") share({ id: event.id });
    else if (name === "lost") share({ id: event.id, event: { type: "resync" } });
    else share({ id: event.id, event });
}

/** Reads the stream until it ends. @param {AbortSignal} abort */
async function readStream(abort) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "text/event-stream" };
    const from = position;
    if (from) headers["Last-Event-ID"] = from;
    const response = await fetch(address("/api/v1/events"), { headers, signal: abort, cache: "no-store" });
    if (response.status === 401) connection.value = "login";
    if (response.status === 410) position = "";
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    share({ state: "live" });
    if (!from) share({ event: { type: "resync" } });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        rest += value.replaceAll("\r\n", "\n");
        const blocks = rest.split("\n\n");
        rest = /** @type {string} */ (blocks.pop());
        blocks.forEach(readBlock);
    }
}

/** @param {number} time @param {AbortSignal} abort */
function pause(time, abort) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, time);
        abort.addEventListener("abort", () => (clearTimeout(timer), resolve(undefined)));
    });
}

/** Reads the stream again and again. @param {AbortSignal} abort */
async function lead(abort) {
    let wait = RETRY_FIRST;
    while (!abort.aborted) {
        const began = Date.now();
        try {
            await readStream(abort);
        } catch (error) {
            if (abort.aborted) return;
            if (error instanceof TypeError && connection.value === "ok") connection.value = "down";
        }
        if (abort.aborted) return;
        share({ state: "connecting" });
        if (connection.value === "login") return;
        wait = Date.now() - began > 10_000 ? RETRY_FIRST : Math.min(RETRY_MAX, wait * 2);
        await pause(wait, abort);
    }
}

function start() {
    if (watching || document.hidden || connection.value === "login") return;
    watching = new AbortController();
    const { signal: abort } = watching;
    const name = `belfry events ${namespace()}`;
    channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => {
        if (data.ask) channel?.postMessage({ state: liveState.value, id: position });
        else receive(data);
    };
    channel.postMessage({ ask: true });
    /* Browsers offer locks only to pages that came by TLS or from this machine. */
    if (!navigator.locks) {
        lead(abort);
        return;
    }
    navigator.locks.request(name, { signal: abort }, () => lead(abort)).catch(() => {});
}

function stop() {
    watching?.abort();
    watching = undefined;
    channel?.close();
    channel = undefined;
    liveState.value = "off";
}

let lastNamespace = "";

/** Follows the events from now on. */
export function follow() {
    document.addEventListener("visibilitychange", () => {
        if (document.hidden) {
            stop();
        } else {
            position = "";
            start();
            tell({ type: "resync" });
        }
    });
    effect(() => {
        const space = query.value.namespace ?? "";
        const state = connection.value;
        if (space !== lastNamespace || state === "login") {
            stop();
            position = "";
            lastNamespace = space;
        }
        start();
    });
}
