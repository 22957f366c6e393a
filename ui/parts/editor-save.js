/* SPDX-License-Identifier: Apache-2.0 */
/* Before and after saving an edit: what changes, which times come and go, and how to merge. */
import { html, useState } from "../lib/html.js";
import { fullTime, ms, offsetName, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Dialog } from "./basic.js";
import { differences, fieldName, sameDoc, setIn } from "./editor-doc.js";

/** @param {any} value */
function brief(value) {
    if (value === undefined || value === null) return html`<span class="faint">default</span>`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return html`<code title=${text}>${text.length > 80 ? `${text.slice(0, 79)}…` : text}</code>`;
}

/** @param {{changes: Array<{field: string, from: any, to: any}>}} props */
export function ChangeList({ changes }) {
    return html`<ul class="bare-list small change-list">
        ${changes.map(
            ({ field, from, to }) =>
                html`<li>
                    <code>${field}</code> ${brief(from)} <span aria-label="becomes">→</span> ${brief(to)}
                </li>`,
        )}
    </ul>`;
}

/** Times on a line: removed above, unchanged in the middle, added below. @param {{diff: any}} props */
export function DiffStrip({ diff }) {
    const all = [...diff.before, ...diff.after].map(ms);
    if (all.length === 0) return null;
    const from = Math.min(...all);
    const to = Math.max(...all, from + 1);
    const x = (/** @type {string} */ at) => 6 + (588 * (ms(at) - from)) / (to - from);
    const removed = new Set(diff.removed);
    const kept = diff.before.filter((/** @type {string} */ at) => !removed.has(at));
    return html`<svg
        class="diff-strip"
        viewBox="0 0 600 52"
        role="img"
        aria-label="${plural(diff.removed.length, "time")} removed, ${plural(
            kept.length,
            "time",
        )} unchanged, ${plural(diff.added.length, "time")} added; the lists below name them"
    >
        <line class="diff-line" x1="0" x2="600" y1="26" y2="26" />
        ${kept.map(
            (/** @type {string} */ at) => html`<circle class="diff-same" cx=${x(at)} cy="26" r="3" />`,
        )}
        ${diff.removed.map(
            (/** @type {string} */ at) =>
                html`<path class="diff-removed" d="M${x(at) - 4} 7l8 8m0-8l-8 8" />`,
        )}
        ${diff.added.map(
            (/** @type {string} */ at) => html`<path class="diff-added" d="M${x(at) - 5} 41h10m-5-5v10" />`,
        )}
    </svg>`;
}

const LISTED = 8;

/** @param {{title: string, sign: string, tone: string, times: string[], zone: string}} props */
function DiffTimes({ title, sign, tone, times, zone }) {
    const name = zoneName(zone);
    const [all, setAll] = useState(false);
    const shown = all ? times : times.slice(0, LISTED);
    return html`<div>
        <h3 class="tone-text-${tone}">${sign} ${number(times.length)} ${title}</h3>
        <ul class="bare-list small num">
            ${shown.map(
                (at) =>
                    html`<li class="nowrap">
                        ${fullTime(at, name)} <span class="faint">${offsetName(at, name)}</span>
                    </li>`,
            )}
        </ul>
        ${times.length > shown.length
            ? html`<button type="button" class="small" onClick=${() => setAll(true)}>
                  ${number(LISTED)} of ${number(times.length)} shown: show all
              </button>`
            : null}
    </div>`;
}

/** The difference in fire times. @param {{diff: any, zone: string}} props */
export function PlanDiff({ diff, zone }) {
    const until = diff.until ? html` until ${fullTime(diff.until, zoneName(zone))}` : null;
    if (diff.added.length === 0 && diff.removed.length === 0)
        return html`<p class="muted">
            The times stay the same: ${plural(diff.same, "time")} compared${until}.
        </p>`;
    return html`<p class="muted small">
            ${plural(diff.same, "time")} ${diff.same === 1 ? "stays" : "stay"}, compared${until}${", in "}
            ${zoneName(zone)}.${diff.later ? " Later times depend on how runs end." : ""} ${diff.note ?? ""}
        </p>
        <${DiffStrip} diff=${diff} />
        <div class="grid2 tight">
            <${DiffTimes} title="removed" sign="✕" tone="bad" times=${diff.removed} zone=${zone} />
            <${DiffTimes} title="added" sign="+" tone="ok" times=${diff.added} zone=${zone} />
        </div>`;
}

/** @param {{asked: {answer: any, error: any, busy: boolean}, changes: any[] | null, zone: string}} props */
export function DiffCard({ asked, changes, zone }) {
    return html`<section
        class="card diff-card"
        aria-label="What saving changes"
        aria-busy=${asked.busy ? "true" : null}
    >
        <div class="card-head"><h2>What saving changes</h2></div>
        ${changes?.length ? html`<${ChangeList} changes=${changes} />` : null}
        ${asked.error
            ? html`<p class="tone-text-bad">${asked.error.message}</p>`
            : asked.answer
              ? html`<${PlanDiff} diff=${asked.answer} zone=${zone} />`
              : null}
    </section>`;
}

/** @param {any} base @param {any} mine @param {any} theirs */
function mergeOf(base, mine, theirs) {
    const ours = differences(base, mine);
    const others = differences(base, theirs);
    const touches = (/** @type {any} */ a, /** @type {any} */ b) => {
        const [x, y] = [fieldName(a), fieldName(b)];
        return x === y || x.startsWith(`${y}.`) || y.startsWith(`${x}.`);
    };
    const conflicts = ours.filter(([path, , after]) =>
        others.some(
            ([other, , value]) =>
                touches(path, other) && !(fieldName(path) === fieldName(other) && sameDoc(after, value)),
        ),
    );
    const merged = ours.reduce((doc, [path, , after]) => setIn(doc, path, after), theirs);
    return { others, conflicts, merged };
}

/** @param {Array<[any, any, any]>} list */
const asChanges = (list) =>
    list.map(([path, from, to]) => ({ field: fieldName(path) || "document", from, to }));

/**
 * Someone else has saved another version: what they changed, and what to do.
 * @param {{base: any, mine: any, theirs: any, by: string, version: number, onClose: () => void,
 *     onMerge: (doc: any) => void, onTheirs: () => void}} props
 */
export function ConflictDialog({ base, mine, theirs, by, version, onClose, onMerge, onTheirs }) {
    const { others, conflicts, merged } = mergeOf(base, mine, theirs);
    return html`<${Dialog} title="Someone else has saved this schedule" onClose=${onClose} wide>
        <p>${by} has saved version ${version} since you began. Nothing of yours is lost.</p>
        <h3>Their changes</h3>
        ${others.length > 0
            ? html`<${ChangeList} changes=${asChanges(others)} />`
            : html`<p class="muted">The document is the same: only the state changed, such as a pause.</p>`}
        <h3>${conflicts.length > 0 ? "Both of you changed these" : "Your changes do not touch theirs"}</h3>
        ${conflicts.length > 0
            ? html`<${ChangeList}
                      changes=${conflicts.map(([path, , after]) => ({
                          field: fieldName(path),
                          from: path.reduce((value, name) => value?.[name], theirs),
                          to: after,
                      }))}
                  />
                  <p class="muted">A merge keeps yours (right).</p>`
            : null}
        <div class="dialog-foot">
            <button type="button" onClick=${onTheirs}>Discard mine, load version ${version}</button>
            <button type="button" class="primary" onClick=${() => onMerge(merged)}>
                Merge, then look and save again
            </button>
        </div>
    <//>`;
}
