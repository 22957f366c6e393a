/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the log of a run as a stream and keeps its lines.  Reading yields to the browser every few
 * milliseconds, stops while the page is hidden, and continues where it was.
 */
import { address, v1 } from "../lib/api.js";

const SLICE_MS = 8; /* of work before the browser may draw */
const RETRY_MS = 2000;

/* CSI, OSC and other sequences of terminals, and control characters except tab. */
const CODES = new RegExp(
    "\\u001b\\[[0-9;:?<=>]*[ -/]*[@-~]|\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?|\\u001b[@-Z\\\\-_]|[\\u0000-\\u0008\\u000b-\\u001f\\u007f]",
    "g",
);

/** A line without colours and other codes of terminals. @param {string} text */
export function plainText(text) {
    return text.replace(CODES, "");
}

/** @typedef {{at: string, stream: string, attempt: number, text: string}} Line */

export class LogStream {
    /** @param {string} run @param {() => void} onChange */
    constructor(run, onChange) {
        this.run = run;
        this.onChange = onChange;
        /** @type {Line[]} */
        this.lines = [];
        this.position = "";
        this.state = "reading"; /* "reading", "ended", "paused", "failed" */
        this.isTruncated = false;
        this.error = "";
        this.isClosed = false;
        /** @type {AbortController | null} */
        this.abort = null;
        this.onVisible = () => (document.hidden ? this.pause() : this.start());
        document.addEventListener("visibilitychange", this.onVisible);
        this.start();
    }

    close() {
        this.isClosed = true;
        document.removeEventListener("visibilitychange", this.onVisible);
        this.abort?.abort();
    }

    pause() {
        if (this.state === "ended") return;
        this.abort?.abort();
        this.abort = null;
        this.state = "paused";
    }

    async start() {
        if (this.abort || this.isClosed || this.state === "ended" || document.hidden) return;
        const mine = new AbortController();
        this.abort = mine;
        this.state = "reading";
        while (!mine.signal.aborted && this.state === "reading") {
            try {
                await this.read(mine.signal);
            } catch (error) {
                if (mine.signal.aborted) return;
                this.error = /** @type {Error} */ (error).message;
            }
            this.onChange();
            if (this.state === "reading") await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
        if (this.abort === mine) this.abort = null;
    }

    /** @param {AbortSignal} signal */
    async read(signal) {
        /** @type {Record<string, string>} */
        const headers = { Accept: "text/event-stream" };
        if (this.position) headers["Last-Event-ID"] = this.position;
        const path = address(v1("runs", this.run, "logs"), { follow: true });
        const response = await fetch(path, { headers, signal, cache: "no-store" });
        if (response.status === 404) this.state = "failed";
        if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
        this.error = "";
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            rest = await this.take(rest + value, signal);
            this.onChange();
        }
    }

    /**
     * Takes whole blocks; returns the beginning of the next.
     * @param {string} text
     * @param {AbortSignal} signal
     */
    async take(text, signal) {
        let until = performance.now() + SLICE_MS;
        let from = 0;
        for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n", from)) {
            if (signal.aborted) return "";
            this.takeBlock(text.slice(from, at));
            from = at + 2;
            if (performance.now() < until) continue;
            this.onChange();
            await new Promise((resolve) => setTimeout(resolve));
            until = performance.now() + SLICE_MS;
        }
        return text.slice(from);
    }

    /** @param {string} block */
    takeBlock(block) {
        let name = "";
        let data = "";
        for (const part of block.split("\n")) {
            if (part.startsWith("data:")) data += part.slice(5).trim();
            else if (part.startsWith("event:")) name = part.slice(6).trim();
            else if (part.startsWith("id:")) this.position = part.slice(3).trim();
        }
        if (!data) return;
        const value = JSON.parse(data);
        if (name === "end") {
            this.state = "ended";
            this.isTruncated = value.truncated === true;
        } else if (name === "line") {
            value.text = plainText(value.text);
            this.lines.push(value);
        }
    }
}
