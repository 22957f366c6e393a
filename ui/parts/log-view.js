/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a run: a box that scrolls and has only the visible lines in the document, so that
 * its cost does not depend on the length of the log.
 */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { fullTime, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { LogStream } from "./log-stream.js";
import { rowMap, slices } from "./log-rows.js";

const ROW = 18;
const MARGIN = 12;
const FEW = 10; /* lines for which a lower box is enough */
const REUSED = 64; /* rows whose nodes get other texts while people scroll; more than the box shows */
const DRAW_MS = 100; /* between two drawings while lines arrive */
const PREFIX = 17; /* characters before the text: number, time, sign */

/** The stream of a run, and a number that grows with each drawing. @param {string} run */
function useLog(run) {
    const [, draw] = useState(0);
    const ref = useRef(/** @type {LogStream | null} */ (null));
    useEffect(() => {
        let timer = 0;
        const stream = new LogStream(run, () => {
            timer ||= setTimeout(() => ((timer = 0), draw((n) => n + 1)), DRAW_MS);
        });
        ref.current = stream;
        draw((n) => n + 1);
        return () => {
            clearTimeout(timer);
            stream.close();
        };
    }, [run]);
    return ref.current;
}

/**
 * Numbers of the lines that contain a text; remembers how far it looked.
 * @param {any[]} lines
 * @param {string} text
 */
function useMatches(lines, text) {
    const memo = useRef({ lines, text: "", until: 0, found: /** @type {number[]} */ ([]) });
    const wanted = text.toLowerCase();
    if (memo.current.text !== wanted || memo.current.lines !== lines)
        memo.current = { lines, text: wanted, until: 0, found: [] };
    const { found } = memo.current;
    if (wanted)
        for (let i = memo.current.until; i < lines.length; i++)
            if (lines[i].text.toLowerCase().includes(wanted)) found.push(i);
    memo.current.until = lines.length;
    return found;
}

/** @param {{text: string, mark: string}} props */
function Marked({ text, mark }) {
    if (!mark) return text;
    const parts = [];
    const low = text.toLowerCase();
    let from = 0;
    for (let at = low.indexOf(mark); at >= 0; at = low.indexOf(mark, from)) {
        parts.push(text.slice(from, at), html`<mark>${text.slice(at, at + mark.length)}</mark>`);
        from = at + mark.length;
    }
    parts.push(text.slice(from));
    return parts;
}

const SIGNS = { stdout: " ", stderr: "!", worker: "·" };

/**
 * @param {{line: any, index: number, part: number, text: string, zone: string, mark: string, isFound:
 *     boolean, several: boolean}} props
 */
function Row({ line, index, part, text, zone, mark, isFound, several }) {
    const head = part === 0;
    const time = head ? fullTime(line.at, zone) : "";
    return html`<div class="log-row log-${line.stream} ${isFound ? "log-found" : ""}">
        <span class="log-number num">${head ? index + 1 : ""}</span>
        <span class="log-time num" title=${head ? `${time} (${zone}), attempt ${line.attempt}` : null}
            >${time.slice(11)}</span
        >
        <span class="log-sign" title=${line.stream}
            >${head ? SIGNS[/** @type {keyof typeof SIGNS} */ (line.stream)] : ""}</span
        >
        ${several && head
            ? html`<span class="log-attempt" title="Attempt ${line.attempt}">#${line.attempt} </span>`
            : null}
        <span class="log-text"><${Marked} text=${text} mark=${mark} /></span>
    </div>`;
}

const SAVE_LINES = 5000; /* that become text at once, so that the page can draw in between */

/** Saves the whole log as a text file. @param {any[]} lines @param {string} run */
async function download(lines, run) {
    const parts = [];
    for (let i = 0; i < lines.length; i += SAVE_LINES) {
        const some = lines.slice(i, i + SAVE_LINES);
        parts.push(
            new Blob(some.map(({ at, stream, attempt, text }) => `${at} ${attempt} ${stream} ${text}\n`)),
        );
        await new Promise((resolve) => setTimeout(resolve));
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts, { type: "text/plain;charset=utf-8" }));
    link.download = `${run}.log`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * The box: measures itself, follows the end, draws what is visible.  `count` is a property because
 * `lines` is the same array while it grows, and equal properties draw nothing.
 * @param {{lines: any[], count: number, isWrapped: boolean, isFollowing: boolean, mark: string,
 *     setFollowing: (on: boolean) => void, target: number, zone: string, isEnded: boolean}} props
 */
function LogBox({ lines, count, isWrapped, isFollowing, setFollowing, mark, target, zone, isEnded }) {
    const ref = useRef(/** @type {any} */ (null));
    const [view, setView] = useState({ top: 0, height: 440, columns: 120 });
    const measure = () => {
        const box = ref.current;
        if (!box) return;
        const columns = Math.max(20, Math.floor((box.clientWidth - 8) / charWidth(box)) - PREFIX);
        const next = { top: box.scrollTop, height: box.clientHeight, columns };
        setView((old) =>
            old.top === next.top && old.height === next.height && old.columns === next.columns ? old : next,
        );
    };
    const mapRef = useRef(rowMap());
    const map = mapRef.current;
    const columns = isWrapped ? view.columns : 0;
    map.update(lines, columns);
    const total = map.total;
    useLayoutEffect(() => {
        const observer = new ResizeObserver(measure);
        observer.observe(ref.current);
        measure();
        return () => observer.disconnect();
    }, []);
    useLayoutEffect(() => {
        if (isFollowing) ref.current.scrollTop = total * ROW;
    }, [total, isFollowing]);
    useLayoutEffect(() => {
        if (target < 0) return;
        const box = ref.current;
        const top = map.rowOf(target) * ROW;
        if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 2 * ROW)
            box.scrollTop = top - box.clientHeight / 2;
    }, [target]);
    const onScroll = () => {
        const box = ref.current;
        const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - ROW;
        if (isFollowing && !isAtEnd && box.scrollTop < view.top) setFollowing(false);
        measure();
    };
    const several = lines.length > 0 && lines[lines.length - 1].attempt > 1;
    const first = Math.max(0, Math.floor(view.top / ROW) - MARGIN);
    const last = Math.min(total, Math.ceil((view.top + view.height) / ROW) + MARGIN);
    const reused = Math.max(REUSED, last - first);
    const rows = [];
    for (let row = first; row < last; row++) {
        const { index, part } = map.lineAt(row);
        const line = lines[index];
        const text = columns ? slices(line.text, columns)[part] : line.text;
        rows.push(
            html`<${Row}
                key=${row % reused}
                line=${line}
                index=${index}
                part=${part}
                text=${text}
                zone=${zone}
                mark=${mark}
                several=${several}
                isFound=${index === target}
            />`,
        );
    }
    const few = isEnded && count <= FEW;
    return html`<div
        class="log-box ${few ? "log-few" : ""}"
        ref=${ref}
        tabindex="0"
        role="region"
        aria-label="Log lines"
        onScroll=${onScroll}
    >
        <div style=${{ height: `${total * ROW}px`, position: "relative", minWidth: "max-content" }}>
            <div style=${{ transform: `translateY(${first * ROW}px)` }}>${rows}</div>
            ${isEnded && count === 0 ? html`<p class="faint log-empty">This run wrote no log.</p>` : null}
        </div>
    </div>`;
}

let widthOfChar = 0;

/** @param {HTMLElement} box */
function charWidth(box) {
    if (widthOfChar) return widthOfChar;
    const probe = document.createElement("span");
    probe.className = "log-text";
    probe.textContent = "0".repeat(100);
    box.append(probe);
    widthOfChar = probe.getBoundingClientRect().width / 100 || 7;
    probe.remove();
    return widthOfChar;
}

/** @param {LogStream | null} log @param {boolean} isOpen */
function stateText(log, isOpen) {
    if (!log || log.state === "failed") return "";
    const count = plural(log.lines.length, "line");
    if (log.error) return `${count}; the stream ended (${log.error}), trying again`;
    if (log.state === "ended")
        return log.isTruncated ? `${count}; the log is full, later lines were dropped` : count;
    return isOpen ? `${count}, live` : count;
}

/** @param {{run: string, isOpen: boolean, zone: string | null}} props */
export function LogView({ run, isOpen, zone }) {
    const log = useLog(run);
    const lines = log?.lines ?? [];
    const [isFollowing, setFollowing] = useState(isOpen);
    const [search, setSearch] = useState(query.value.find ?? "");
    const [match, setMatch] = useState(0);
    const isWrapped = query.value.wrap === "1";
    const found = useMatches(lines, search);
    const place = found.length > 0 ? ((match % found.length) + found.length) % found.length : -1;
    const target = search && place >= 0 ? found[place] : -1;
    const move = (/** @type {number} */ by) => (setFollowing(false), setMatch(match + by));
    const onSearch = (/** @type {any} */ event) => {
        setSearch(event.target.value);
        setMatch(0);
        setFollowing(false);
        setQuery({ find: event.target.value || null }, { replace: true });
    };
    return html`<div class="log">
        <div class="row log-bar">
            <input
                type="search"
                placeholder="Search the log"
                aria-label="Search the log"
                value=${search}
                onInput=${onSearch}
                onKeyDown=${(/** @type {any} */ event) =>
                    event.key === "Enter" && move(event.shiftKey ? -1 : 1)}
            />
            ${search
                ? html`<span class="small num" role="status">
                          ${found.length === 0
                              ? "no match"
                              : `${number(place + 1)} of ${plural(found.length, "line")}`}
                      </span>
                      <button
                          type="button"
                          class="small"
                          aria-label="Previous match"
                          disabled=${!found.length}
                          onClick=${() => move(-1)}
                      >
                          ↑
                      </button>
                      <button
                          type="button"
                          class="small"
                          aria-label="Next match"
                          disabled=${!found.length}
                          onClick=${() => move(1)}
                      >
                          ↓
                      </button>`
                : null}
            <span class="grow"></span>
            <span class="small muted" role="status">${stateText(log, isOpen)}</span>
            <button
                type="button"
                class="small"
                aria-pressed=${isFollowing ? "true" : "false"}
                onClick=${() => setFollowing(!isFollowing)}
            >
                Follow the end
            </button>
            <button
                type="button"
                class="small"
                aria-pressed=${isWrapped ? "true" : "false"}
                onClick=${() => setQuery({ wrap: isWrapped ? null : "1" }, { replace: true })}
            >
                Wrap
            </button>
            <button
                type="button"
                class="small"
                disabled=${lines.length === 0}
                onClick=${() => download(lines, run)}
            >
                Download
            </button>
        </div>
        <${LogBox}
            lines=${lines}
            count=${lines.length}
            isEnded=${log?.state === "ended"}
            isWrapped=${isWrapped}
            isFollowing=${isFollowing}
            setFollowing=${setFollowing}
            mark=${search.toLowerCase()}
            target=${target}
            zone=${zoneName(zone)}
        />
    </div>`;
}
