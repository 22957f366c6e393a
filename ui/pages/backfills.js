/* SPDX-License-Identifier: Apache-2.0 */
/* Backfills of all schedules: those that run, with their progress, and those that have ended. */
import { html, useRef, useState } from "../lib/html.js";
import { get, namespace, post, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href, query, setQuery } from "../lib/router.js";
import { now, relative, span } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Card, Empty, FormDialog, Head, Load, Tabs, Time, toast } from "../parts/basic.js";
import { may } from "../parts/login.js";

const PAGE = 100;
const MOST = 1000;

/** @typedef {Record<string, any>} Backfill as GET /backfills lists it */

/** @type {Array<[string, string]>} */
const STATES = [
    ["", "All"],
    ["running", "Running"],
    ["ended", "Ended"],
];

/**
 * What has become of the slots: name, tone, count.
 * @param {Backfill} b
 * @returns {Array<[string, string, number]>}
 */
function parts(b) {
    return [
        ["succeeded", "ok", b.succeeded],
        ["failed", "bad", b.failed],
        ["cancelled", "off", b.cancelled],
        ["skipped", "skip", b.skipped],
        ["open", "run", b.open],
        ["waiting for an open run", "wait", b.buffered],
    ];
}

/** The number of slots of a backfill, as far as it is known. @param {Backfill} b */
function slotsOf(b) {
    const decided = parts(b).reduce((sum, [, , count]) => sum + count, 0);
    const pending = b.state === "running" ? (b.pending ?? 0) : 0;
    return Math.max(b.slots ?? 0, decided + pending);
}

/** A bar with a part for each outcome; the words below say the same. @param {{of: Backfill}} props */
function Bar({ of: b }) {
    const total = slotsOf(b) || 1;
    return html`<div class="backfill-bar" aria-hidden="true">
        ${parts(b).map(
            ([name, tone, count]) =>
                count > 0 &&
                html`<span
                    key=${name}
                    class="bar-${tone}"
                    style=${{ width: `${(100 * count) / total}%` }}
                ></span>`,
        )}
    </div>`;
}

/** @param {{of: Backfill}} props */
function Progress({ of: b }) {
    const total = slotsOf(b);
    const ended = b.succeeded + b.failed + b.cancelled + b.skipped;
    const shown = parts(b).filter(([, , count]) => count > 0);
    return html`<${Bar} of=${b} />
        <p class="small num">
            ${
                b.slots === null
                    ? html`<strong>${number(ended)}</strong> done; the number of slots is not known`
                    : html`<strong>${number(ended)}</strong> of ${plural(total, "slot")} done`
            }${
                b.state === "running" && total > 0 && b.slots !== null
                    ? ` (${Math.floor((100 * ended) / total)} %)`
                    : null
            }
        </p>
        <p class="small muted num">
            ${shown.map(
                ([name, tone, count], i) =>
                    html`${i > 0 ? ", " : ""}<span class="tone-text-${tone}">${number(count)} ${name}</span>`,
            )}
        </p>`;
}

/** What stopping ends. @param {Backfill} b */
function stopText(b) {
    const { pending, buffered, open } = b;
    const texts = ["Slots that are not decided yet will not start."];
    if (pending) texts[0] = `${plural(pending, "slot")} not decided yet will not start.`;
    if (buffered) texts.push(`${plural(buffered, "run")} waiting for an open run will be cancelled.`);
    if (open) texts.push(`${plural(open, "run")} already begun will continue.`);
    return texts.join(" ");
}

/** @param {{of: Backfill, onClose: () => void, onDone: () => void}} props */
function StopDialog({ of: b, onClose, onDone }) {
    const run = async () => {
        await post(v1("schedules", b.schedule, "backfills", String(b.id), "stop"));
        toast(`${b.schedule}: backfill ${b.id} stopped`);
        onDone();
    };
    return html`<${FormDialog}
        title="Stop backfill ${b.id} of ${b.schedule}"
        action="Stop"
        tone="danger"
        onClose=${onClose}
        run=${run}
    >
        <p>
            ${stopText(b)}
        </p>
        <p class="muted">A later backfill of only the missed slots starts what is left.</p>
    <//>`;
}

/** @param {Backfill} b */
function stateText(b) {
    if (b.state === "running") return b.stopped ? ["wait", "◌", "stopping"] : ["run", "▶", "running"];
    if (b.stopped) return ["off", "■", "stopped"];
    return b.failed > 0 ? ["bad", "✕", "ended with failures"] : ["ok", "✓", "ended"];
}

/** How long it has taken, and how long it will take if it goes on like that. @param {Backfill} b */
function pace(b) {
    const began = Date.parse(b.createdAt);
    if (b.endedAt) return `took ${span(Date.parse(b.endedAt) - began)}`;
    const total = slotsOf(b);
    const ended = b.succeeded + b.failed + b.cancelled + b.skipped;
    if (b.slots === null || ended === 0 || ended >= total) return "";
    const left = ((now.value - began) / ended) * (total - ended);
    return `about ${relative(now.value + left).replace("in ", "")} left at this pace`;
}

/** @param {{of: Backfill, onStop: (backfill: Backfill) => void}} props */
function Row({ of: b, onStop }) {
    const [tone, sign, word] = stateText(b);
    return html`<li class="backfill">
        <div class="backfill-what">
            <p class="clip">
                <a
                    class="schedule-name"
                    href=${href(["schedule", b.schedule])}
                    title=${b.schedule}
                >${b.schedule}</a>
                <span class="faint num"> backfill ${b.id}</span>
            </p>
            <p class="small muted">
                <${Time}
                    at=${b.from}
                /> to <${Time}
                    at=${b.to}
                />${b.only === "missed" ? ", only missed slots" : null}
                ${b.overlap ? `, overlap ${b.overlap}` : null}
            </p>
            <p class="small faint clip">requested <${Time}
                at=${b.createdAt}
                relative
            />${b.createdBy ? ` by ${b.createdBy}` : null}</p>
        </div>
        <div class="backfill-progress">
            <${Progress} of=${b} />
            ${b.expired ? html`<p
                class="small tone-text-late"
            >The record of some slots was deleted before their turn; they were left out.</p>` : null}
        </div>
        <div class="backfill-state">
            <span class="badge tone-${tone}"><span
                class="sign"
                aria-hidden="true"
            >${sign}</span>${word}</span>
            <p class="small faint num">${pace(b)}</p>
        </div>
        <div class="backfill-do">
            <a
                class="button small"
                href=${href(["runs"], { schedule: b.schedule, kind: "backfill" })}
            >Runs</a>
            ${
                b.state === "running" && !b.stopped && may("operate")
                    ? html`<button
                        type="button"
                        class="small danger"
                        aria-label="Stop backfill ${b.id} of ${b.schedule}"
                        onClick=${() => onStop(b)}
                    >Stop …</button>`
                    : null
            }
        </div>
    </li>`;
}

/**
 * Pages of the list up to a number of entries.
 * @param {string} state @param {number} most @param {AbortSignal} abort
 */
async function readBackfills(state, most, abort) {
    /** @type {Backfill[]} */
    const backfills = [];
    let cursor = null;
    do {
        const limit = Math.min(1000, most - backfills.length);
        const page = await get("/api/v1/backfills", { state, limit, cursor }, abort);
        backfills.push(...page.backfills);
        cursor = page.cursor;
    } while (cursor && backfills.length < most);
    return { backfills, hasMore: cursor !== null };
}

/**
 * @param {{list: {backfills: Backfill[], hasMore: boolean}, state: string,
 *     onStop: (backfill: Backfill) => void, onMore: (() => void) | null}} props
 */
function List({ list, state, onStop, onMore }) {
    const { backfills, hasMore } = list;
    if (backfills.length === 0)
        return html`<${Empty}
            title=${state === "running" ? "No backfill is running." : "There are no backfills."}
        >
            <p>A backfill runs the slots of a past range. Start one from a schedule.</p>
            <p><a href=${href(["schedules"])}>Schedules</a></p>
        <//>`;
    return html`<ul class="backfills">
            ${backfills.map((b) => html`<${Row} key=${`${b.schedule} ${b.id}`} of=${b} onStop=${onStop} />`)}
        </ul>
        ${
            hasMore
                ? html`<p class="row more">
                  <span class="muted">The newest ${number(backfills.length)} are shown; there are more.</span>
                  ${onMore ? html`<button
                      type="button"
                      onClick=${onMore}
                  >Show more</button>` : html`<span
                      class="muted"
                  >Choose a state, or open a schedule, to see fewer.</span>`}
              </p>`
                : null
        }`;
}

export function Backfills() {
    const state = query.value.state ?? "";
    const [most, setMost] = useState(PAGE);
    const isRunning = useRef(false);
    const [stopping, setStopping] = useState(/** @type {Backfill | null} */ (null));
    const list = useResource(
        `backfills ${namespace()} ${state} ${most}`,
        (abort) => readBackfills(state, most, abort),
        { refreshOn: (event) => isBackfillEvent(event, isRunning.current), pause: 1000, keep: true },
    );
    isRunning.current = (list.data?.backfills ?? []).some((b) => b.state === "running");
    return html`<${Head}
        title="Backfills"
        sub="Runs of past slots, over all schedules. The last 100 of each schedule that have ended are kept."
    />
        <div><${Tabs}
            label="State"
            tabs=${STATES}
            chosen=${state}
            onChoose=${(/** @type {string} */ name) => setQuery({ state: name || null })}
        /></div>
        <${Card} class="flush">
            <${Load} of=${list} rows=${6}>
                ${(/** @type {any} */ data) => html`<${List}
                    list=${data}
                    state=${state}
                    onStop=${setStopping}
                    onMore=${most < MOST ? () => setMost(Math.min(MOST, most * 3)) : null}
                />`}
            <//>
        <//>
        ${stopping ? html`<${StopDialog}
            of=${stopping}
            onClose=${() => setStopping(null)}
            onDone=${list.reload}
        />` : null}`;
}

/**
 * Runs of backfills have no events of their own: while a backfill is running, each run counts.
 * @param {any} event @param {boolean} isRunning
 */
function isBackfillEvent(event, isRunning) {
    if (event.type.startsWith("backfill.")) return true;
    return isRunning && /^(run\.(started|ended)|slot\.)/.test(event.type);
}
