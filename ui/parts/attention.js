/* SPDX-License-Identifier: Apache-2.0 */
/* What needs attention, worst first, in the server's words, with what can be done about it. */
import { html, useState } from "../lib/html.js";
import { get, post, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href } from "../lib/router.js";
import { number, plural } from "../lib/words.js";
import { attempt, Card, FormDialog, Load, Time, toast } from "./basic.js";
import { may } from "./login.js";
import { BulkDialog } from "./run-actions.js";
import { ActionDialog, runNow } from "./schedule-actions.js";

/**
 * @typedef {{schedule: string | null, kind: string, since: string | null, severity: number,
 *     text: string}} Item
 */

/** By severity: tone, sign, and the word for those who see neither. */
const SEVERITIES = /** @type {const} */ ({
    3: ["bad", "✕", "Error"],
    2: ["late", "!", "Warning"],
    1: ["off", "·", "Note"],
});

/** @param {string} id */
const release = (id) =>
    attempt(() => post(v1("schedules", id, "release")), `${id}: released from quarantine`);

/**
 * What can be done about each kind: text, and what a click does; `open` opens a dialog.
 * @param {Item} item @param {(dialog: string) => void} open
 * @returns {Array<{text: string, run?: () => void, to?: string}>}
 */
function fixes(item, open) {
    const id = item.schedule ?? "";
    const canOperate = may("operate");
    const failed = { text: "Failed runs", to: href(["runs"], { schedule: id, outcome: "failed" }) };
    const run = canOperate ? [{ text: "Run now", run: () => runNow(id) }] : [];
    switch (item.kind) {
        case "failing":
        case "upstream":
            return [failed, ...run];
        case "late":
            return run;
        case "quarantined":
            return canOperate ? [failed, { text: "Release", run: () => release(id) }] : [failed];
        case "missed":
            return canOperate ? [{ text: "Run the missed slots …", run: () => open("missed") }] : [];
        case "paused":
            return canOperate ? [failed, { text: "Resume …", run: () => open("resume") }] : [failed];
        case "approval":
            return canOperate
                ? [{ text: "Approve …", run: () => open("approve") }]
                : [{ text: "Runs", to: href(["runs"], { schedule: id, state: "approval" }) }];
        case "queue":
            return [
                { text: "Queues", to: href(["queues"]) },
                { text: "Waiting runs", to: href(["runs"], { state: "ready" }) },
            ];
        case "node":
            return [{ text: "Nodes", to: href(["nodes"]) }];
        default:
            return [];
    }
}

/** The first of the slots that a dry run has counted. @param {{plan: any, since: string | null}} props */
function Missed({ plan, since }) {
    /** @type {string[]} */
    const times = plan.times ?? [];
    const rest = plan.count - times.length;
    const least = plan.more ? "At least " : "";
    return html`<p class="note">
            ${least}${plural(plan.count, "slot")} since <${Time} at=${since} /> did not start.
        </p>
        <p class="muted">
            ${times.map((at, i) => html`${i > 0 ? ", " : ""}<${Time} at=${at} />`)}
            ${rest > 0 ? ` and ${number(rest)} more` : null}
        </p>`;
}

/**
 * Starts the slots that were missed since a time, after the server has counted them.
 * @param {{item: Item, onClose: () => void}} props
 */
function MissedDialog({ item, onClose }) {
    const id = item.schedule ?? "";
    const body = { from: item.since, to: new Date().toISOString(), only: "missed" };
    const plan = useResource(`missed ${id}`, (abort) =>
        request("POST", v1("schedules", id, "backfill"), {
            body: { ...body, dryRun: true, limit: 10 },
            signal: abort,
        }),
    );
    const run = async () => {
        const answer = await post(v1("schedules", id, "backfill"), body);
        toast(
            html`${id}: <a
                href=${href(["backfills"])}
            >backfill</a> of ${plural(answer.count, "slot")} started`,
        );
    };
    return html`<${FormDialog}
        title="Run the missed slots of ${id}"
        action="Run them"
        disabled=${!plan.data?.count}
        onClose=${onClose}
        run=${run}
    >
        <div class="forecast">
            <${Load} of=${plan} rows=${2}>
                ${(/** @type {any} */ data) => html`<${Missed} plan=${data} since=${item.since} />`}
            <//>
        </div>
    <//>`;
}

/** @param {{item: Item, onClose: () => void}} props */
function ApproveDialog({ item, onClose }) {
    const id = item.schedule ?? "";
    const runs = useResource(`approve ${id}`, (abort) =>
        get(
            "/api/v1/runs",
            { schedule: id, state: "approval", limit: 1000, fields: "schedule,slot,state,kind" },
            abort,
        ).then((page) => page.runs),
    );
    if (runs.error)
        return html`<${FormDialog}
            title="Approve"
            action="Try again"
            onClose=${onClose}
            run=${async () => runs.reload()}
        ><p>${runs.error.message}</p><//>`;
    if (!runs.data) return null;
    if (runs.data.length === 0) {
        onClose();
        toast(`${id}: no run waits for approval any more`);
        return null;
    }
    return html`<${BulkDialog} runs=${runs.data} name="approve" onClose=${onClose} />`;
}

/** @param {{item: Item}} props */
function Row({ item }) {
    const [dialog, setDialog] = useState("");
    const close = () => setDialog("");
    const [tone, sign, word] = SEVERITIES[/** @type {1 | 2 | 3} */ (item.severity)] ?? SEVERITIES[2];
    return html`<li class="attention-row">
        <span
            class="attention-sign tone-${tone}"
        ><span aria-hidden="true">${sign}</span><span class="hidden">${word}</span></span>
        <div class="attention-text">
            ${item.schedule ? html`<a
                class="schedule-name"
                href=${href(["schedule", item.schedule])}
            >${item.schedule}</a> ` : null}
            <span>${item.text}</span>
            ${item.since ? html` <span class="faint small nowrap"><${Time}
                at=${item.since}
                relative
            /></span>` : null}
        </div>
        <div class="actions">
            ${fixes(item, setDialog).map(({ text, run, to }) =>
                to
                    ? html`<a class="button small" href=${to}>${text}</a>`
                    : html`<button
                        type="button"
                        class="small"
                        onClick=${run}
                        aria-label=${item.schedule ? `${text} ${item.schedule}` : null}
                    >${text}</button>`,
            )}
        </div>
        ${dialog === "missed" ? html`<${MissedDialog} item=${item} onClose=${close} />` : null}
        ${dialog === "approve" ? html`<${ApproveDialog} item=${item} onClose=${close} />` : null}
        ${dialog === "resume" ? html`<${ActionDialog}
            id=${item.schedule}
            action="resume"
            onClose=${close}
        />` : null}
    </li>`;
}

/** @param {{items: Item[], total: number | null}} props */
export function Attention({ items, total }) {
    return html`<${Card} title="Needs attention" class="attention">
        ${
            items.length === 0
                ? html`<p class="muted"><span
                    class="tone-text-ok"
                    aria-hidden="true"
                >✓</span> Nothing. No schedule fails, is late or missed a slot today, and no run waits
                  too long.</p>`
                : html`<ul>${items.map((item) => html`<${Row}
                    key=${`${item.kind} ${item.schedule ?? item.text}`}
                    item=${item}
                />`)}</ul>`
        }
        ${
            total === null || total > items.length
                ? html`<p class="card-foot small muted">
                  ${items.length} of ${total === null ? "more than 1,000" : number(total)} shown, worst first:
                  ${" "}
                  <a
                      href=${href(["schedules"], { health: "failing,late", sort: "-failures" })}
                  >all schedules that fail or are late</a>
              </p>`
                : null
        }
    <//>`;
}
