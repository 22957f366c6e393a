/* SPDX-License-Identifier: Apache-2.0 */
/* Events in words. */
import { span } from "../lib/time.js";
import { look, plural, reasonText } from "../lib/words.js";

/** Groups that people filter by: name, words, types. @type {Array<[string, string, string]>} */
export const EVENT_GROUPS = [
    ["run", "Runs", "run.*"],
    ["schedule", "Schedules", "schedule.*"],
    ["slot", "Slots not started", "slot.*"],
    ["backfill", "Backfills", "backfill.*"],
    ["lease", "Lost leases", "lease.*"],
    ["server", "Server", "node.*,clock.*,plan.*,events.*"],
];

/** Why, at the end of a sentence. @param {any} event */
const why = (event) => (event.reason ? `: ${reasonText(event.reason)}` : "");

/** @param {any} event */
const slots = (event) => plural(event.count ?? 1, "slot");

/** What each schedule.* event says. */
const SCHEDULE = {
    created: "Schedule created",
    updated: "Schedule changed",
    paused: "Schedule paused",
    resumed: "Schedule resumed",
    disabled: "Schedule disabled",
    deleted: "Schedule deleted",
    closed: "Schedule closed: it has no more slots",
    quarantined: "Schedule quarantined: nodes stopped while its runs ran",
    released: "Schedule released from quarantine",
};

/** @type {Record<string, (event: any) => string>} */
const SENTENCES = {
    "run.planned": (e) => `${e.count ? plural(e.count, "run") : "A run"} planned`,
    "run.unplanned": (e) =>
        `${e.count ? plural(e.count, "planned run") : "Planned runs"} withdrawn${why(e)}`,
    "run.ready": (e) => (e.attempt > 0 ? `Ready for attempt ${e.attempt + 1}` : "Run ready"),
    "run.claimed": (e) => `Attempt ${e.attempt} claimed`,
    "run.started": (e) => `Attempt ${e.attempt} started`,
    "run.retrying": (e) => `Attempt ${e.attempt} ended without success${why(e)}; the run waits for a retry`,
    "run.ended": (e) => `Run ${look(e.outcome).word}${why(e)}`,
    "run.cancelled": () => "Cancellation requested",
    "run.late": (e) => `Run is late${e.lateness ? ` by ${e.lateness}` : ""}`,
    "slot.skipped": (e) => `${slots(e)} skipped${why(e)}`,
    "slot.missed": (e) => `${slots(e)} missed${why(e)}`,
    "slot.dropped": (e) => `${slots(e)} dropped${why(e)}`,
    "slot.cancelled": (e) => `${slots(e)} cancelled${why(e)}`,
    "backfill.started": (e) => `Backfill ${e.backfill?.id ?? ""} started`,
    "backfill.stopped": (e) => `Backfill ${e.backfill?.id ?? ""} stopped`,
    "backfill.ended": ({ backfill: of }) =>
        `Backfill ${of?.id ?? ""} ended: ${plural(of?.succeeded ?? 0, "run")} succeeded, ${of?.failed ?? 0} failed`,
    "lease.expired": () => "The worker sent no heartbeat in time; the attempt is lost",
    "lease.stale": () => "A worker reported with an old fence; the report was rejected",
    "plan.midnight": (e) => `Midnight in ${e.zone}`,
    "node.up": (e) => `Node ${e.node} started`,
    "node.down": (e) => `Node ${e.node} stopped`,
    "clock.jump": (e) =>
        e.stepMs === 0
            ? "Clock accepted"
            : `The clock jumped by ${e.stepMs < 0 ? "-" : "+"}${span(e.stepMs)}`,
    "events.damaged": (e) => `${plural(e.count ?? 0, "stored event")} cannot be read`,
};

/** @param {any} event */
export function eventText(event) {
    const [group, name] = event.type.split(".");
    if (group === "schedule" && name in SCHEDULE)
        return SCHEDULE[/** @type {keyof typeof SCHEDULE} */ (name)];
    return SENTENCES[event.type]?.(event) ?? event.type;
}

/** The tone of an event: only what needs attention has one. @param {any} event */
export function eventTone(event) {
    if (event.type === "run.ended") return look(event.outcome).tone;
    if (event.type === "run.retrying" || event.type === "run.late") return "late";
    if (/^(slot\.(missed|dropped)|events\.damaged|clock\.jump)$/.test(event.type)) return "miss";
    if (/^(node\.down|lease\.|schedule\.quarantined)/.test(event.type)) return "bad";
    if (event.type === "slot.skipped") return "skip";
    return "";
}
