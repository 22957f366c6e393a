/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a schedule: what it is, how it is, when it runs next, and what one can do with it. */
import { html, useRef, useState } from "../lib/html.js";
import { post, v1 } from "../lib/api.js";
import { useShortcuts } from "../lib/keys.js";
import { go, href } from "../lib/router.js";
import { fullTime, offsetName, zoneName } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { attempt, Badge, Head, Time, useNow } from "./basic.js";
import { may } from "./login.js";
import { openMenu, MenuHost } from "./menu.js";
import { PauseDialog, ResumeDialog } from "./schedule-actions.js";
import { BackfillDialog } from "./schedule-backfill.js";
import {
    ArchiveDialog,
    DeleteDialog,
    ExportDialog,
    HintDialog,
    SkipDialog,
    TriggerDialog,
} from "./schedule-dialogs.js";

/** @type {Record<string, any>} */
const DIALOGS = {
    trigger: TriggerDialog,
    test: (/** @type {any} */ props) => html`<${TriggerDialog} test ...${props} />`,
    pause: PauseDialog,
    resume: ResumeDialog,
    skip: SkipDialog,
    backfill: BackfillDialog,
    hint: HintDialog,
    archive: ArchiveDialog,
    delete: DeleteDialog,
    export: ExportDialog,
};

/** Only the reason in words says that a schedule is in quarantine. @param {any} schedule */
export const isQuarantined = (schedule) => /\bquarantined\b/.test(schedule.state.noNextReason ?? "");

/** @param {{tone: string, sign: string, text: string}} props */
const Sign = ({ tone, sign, text }) =>
    html`<span class="badge tone-${tone}"><span class="sign" aria-hidden="true">${sign}</span>${text}</span>`;

/** @param {{schedule: any}} props */
function NextRun({ schedule }) {
    useNow();
    const { state, spec } = schedule;
    const zone = zoneName(spec.timezone);
    if (!state.nextAt)
        return html`<p class="next-run">
            <span class="muted"
                >No run is planned${state.noNextReason ? `: ${state.noNextReason}` : ""}.</span
            >
        </p>`;
    return html`<p class="next-run">
        <span class="muted">Next run</span>${" "}
        <strong><${Time} at=${state.nextAt} zone=${spec.timezone} relative /></strong>
        <span class="num"> ${fullTime(state.nextAt, zone)} ${offsetName(state.nextAt, zone)}</span>
        <span class="faint"
            >${" "}${zone === "UTC" ? "" : zone}${state.nextSource && !/^baseline/.test(state.nextSource)
                ? ` · ${state.nextSource}`
                : ""}</span
        >
    </p>`;
}

/** @param {{schedule: any, health: any}} props */
function State({ schedule, health }) {
    const { state } = schedule;
    const shown = state.status !== "active" ? state.status : (health?.health ?? "active");
    return html`<p class="row schedule-state">
        <${Badge} of=${shown} />
        ${!schedule.enabled ? html`<${Sign} tone="off" sign="■" text="disabled" />` : null}
        ${isQuarantined(schedule) ? html`<${Sign} tone="bad" sign="!" text="in quarantine" />` : null}
        ${state.status === "paused"
            ? html`<span>
                  ${state.pausedReason
                      ? html`“${state.pausedReason}”`
                      : html`<span class="muted">no reason given</span>`}${" "}
                  <span class="muted"
                      >${state.pausedUntil
                          ? html`until <${Time} at=${state.pausedUntil} zone=${schedule.spec.timezone} />`
                          : "until it is resumed"}</span
                  >
              </span>`
            : null}
        ${health?.failing
            ? html`<span class="muted"
                  >failed ${plural(state.failures, "time")}${state.failures > 1 ? " in a row" : ""}
                  ${health.failingSince
                      ? html`, since <${Time} at=${health.failingSince} relative />`
                      : null}</span
              >`
            : null}
        ${health?.late
            ? html`<span class="muted">late since <${Time} at=${health.lateSince} relative /></span>`
            : null}
        ${Object.entries(schedule.labels).map(
            ([name, value]) =>
                html`<a class="chip small" href=${href(["schedules"], { label: `${name}=${value}` })}
                    >${name}=${value}</a
                >`,
        )}
    </p>`;
}

/** @param {any} schedule @param {(name: string) => void} open @param {() => void} reload */
function moreItems(schedule, open, reload) {
    const { id, state } = schedule;
    const isOpen = state.status !== "closed";
    const now = (/** @type {string} */ operation, /** @type {string} */ done) => () =>
        attempt(() => post(v1("schedules", id, operation)), done).then(reload);
    return /** @type {import("./menu.js").MenuItem[]} */ (
        [
            may("operate") && isOpen && { text: "Test …", run: () => open("test") },
            may("operate") && isOpen && schedule.governor && { text: "Hint …", run: () => open("hint") },
            may("operate") &&
                state.failures > 0 && {
                    text: "Reset failures",
                    run: now("reset-failures", `${id}: failures reset`),
                },
            { text: "Timeline", href: href(["timeline"], { schedule: id }) },
            { text: "Export …", run: () => open("export") },
            may("edit") && { text: "Duplicate", href: href(["new"], { from: id }) },
            may("edit") && isOpen && { text: "Archive …", run: () => open("archive") },
            may("edit") && { text: "Delete …", tone: "bad", run: () => open("delete") },
        ].filter(Boolean)
    );
}

/** @param {{schedule: any, health: any, reload: () => void}} props */
export function ScheduleHead({ schedule, health, reload }) {
    const [dialog, setDialog] = useState("");
    const { id, state } = schedule;
    const canOperate = may("operate") && state.status !== "closed";
    const Opened = DIALOGS[dialog];
    const act = useRef((/** @type {string} */ _) => {});
    act.current = (name) =>
        canOperate && setDialog(name === "pause" && state.status === "paused" ? "resume" : name);
    useShortcuts([
        { keys: "t", text: "Trigger this schedule", run: () => act.current("trigger") },
        { keys: "p", text: "Pause or resume this schedule", run: () => act.current("pause") },
        { keys: "e", text: "Edit this schedule", run: () => may("edit") && go(["edit", id]) },
    ]);
    const button = (/** @type {string} */ name, /** @type {any} */ text, look = "") =>
        html`<button type="button" class=${look} onClick=${() => setDialog(name)}>${text}</button>`;
    return html`<${Head} title=${id} sub=${schedule.description || null}>
            ${canOperate
                ? html`${button("trigger", "Trigger", "primary")}
                  ${state.status === "paused" ? button("resume", "Resume") : button("pause", "Pause")}
                  ${state.nextAt && state.status === "active" ? button("skip", "Skip next") : null}
                  ${button("backfill", "Backfill")}`
                : null}
            ${canOperate && isQuarantined(schedule)
                ? html`<button
                      type="button"
                      onClick=${() =>
                          attempt(
                              () => post(v1("schedules", id, "release")),
                              `${id}: released from quarantine`,
                          ).then(reload)}
                  >
                      Release
                  </button>`
                : null}
            ${may("edit") && state.status !== "closed"
                ? html`<a class="button" href=${href(["edit", id])}>Edit</a>`
                : null}
            <button
                type="button"
                aria-haspopup="menu"
                onClick=${(/** @type {Event} */ event) =>
                    openMenu(event, moreItems(schedule, setDialog, reload))}
            >
                More ▾
            </button>
        <//>
        <div class="schedule-line">
            <${State} schedule=${schedule} health=${health} />
            <${NextRun} schedule=${schedule} />
        </div>
        <${MenuHost} />
        ${Opened
            ? html`<${Opened}
                  id=${id}
                  schedule=${schedule}
                  onClose=${() => setDialog("")}
                  onDone=${dialog === "delete" ? () => go(["schedules"]) : reload}
              />`
            : null}`;
}
