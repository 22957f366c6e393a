/* SPDX-License-Identifier: Apache-2.0 */
/* The first visit: an example in one click, how to see it run, and the same by hand. */
import { html, useState } from "../lib/html.js";
import { namespace, post } from "../lib/api.js";
import { href } from "../lib/router.js";
import { Card, CopyLine, Link, Problem } from "./basic.js";
import { may, me } from "./login.js";

const EXAMPLE = {
    id: "example",
    description: "Runs every five seconds, for a worker of the queue “example”",
    spec: { intervals: [{ every: "5s" }] },
    action: { type: "queue", queue: "example" },
};

const REPORT = {
    id: "report",
    spec: { cron: ["30 2 * * MON-FRI"], timezone: "Europe/Berlin" },
    action: { type: "queue", queue: "reports" },
};
const REPORT_OPTIONS = '--cron "30 2 * * MON-FRI" --tz Europe/Berlin --queue reports';
const CLAIM = { queues: ["example"], wait: "30s", worker: "me", fields: ["schedule", "slot"] };
const COMPLETE = { items: [{ id: "r_…", fence: 1, result: { ok: true } }] };

/** How clients reach this server from a shell. */
function words() {
    const space = namespace();
    return {
        server: `--server ${location.origin}${space ? ` --namespace ${space}` : ""}`,
        query: space ? `?namespace=${encodeURIComponent(space)}` : "",
        token: me.value?.expiresAt ? ' -H "Authorization: Bearer $BELFRY_TOKEN"' : "",
    };
}

/** @param {any} body */
const quoted = (body) => `'${JSON.stringify(body)}'`;

/** @param {{onCreated: () => void}} props */
function CreateExample({ onCreated }) {
    const [error, setError] = useState(/** @type {any} */ (null));
    const [busy, setBusy] = useState(false);
    const create = async () => {
        setBusy(true);
        setError(null);
        try {
            await post("/api/v1/schedules", EXAMPLE);
            onCreated();
        } catch (problem) {
            setError(problem);
        }
        setBusy(false);
    };
    return html`<div class="row">
            <button
                type="button"
                class="primary"
                disabled=${busy}
                onClick=${create}
            >Create the example</button>
            <a class="button" href=${href(["new"])}>Write your own</a>
        </div>
        ${error ? html`<${Problem} error=${error} />` : null}`;
}

/** @param {{isCreated: boolean, onCreated: () => void, onDone: () => void}} props */
export function FirstVisit({ isCreated, onCreated, onDone }) {
    const { server, query, token } = words();
    const at = (/** @type {string} */ path) => `${location.origin}/api/v1/${path}${query}`;
    return html`<${Card}
        title=${isCreated ? "Your first schedule" : "Welcome: there are no schedules yet"}
        class="first"
    >
            <p class="muted">
                A schedule says when something runs and what. The times at which it is due are its slots; each
                slot becomes a run, or is recorded with the reason why not.
            </p>
            <ol class="steps">
                <li>
                    <h3>Create a schedule</h3>
                    ${
                        isCreated
                            ? html`<p><span
                                class="tone-text-ok"
                                aria-hidden="true"
                            >✓</span> <${Link}
                                to=${["schedule", EXAMPLE.id]}
                            >example<//> runs every five seconds.</p>`
                            : may("edit")
                              ? html`<p>An example that runs every five seconds, for a worker of its queue.</p>
                                <${CreateExample} onCreated=${onCreated} />`
                              : html`<p>Your token may not create schedules.</p>`
                    }
                </li>
                <li>
                    <h3>Work for it</h3>
                    <p>A worker takes the runs of a queue and carries them out. In a terminal:</p>
                    <${CopyLine} text=${`belfry worker ${server} --queue example -- date`} />
                </li>
                <li>
                    <h3>Watch it run</h3>
                    <p>
                        This page follows by itself: see <${Link}
                            to=${["runs"]}
                            query=${{ schedule: EXAMPLE.id }}
                        >its runs<//>, or
                        ${" "}<${Link} to=${["timeline"]} query=${{ schedule: EXAMPLE.id }}>its timeline<//>.
                    </p>
                </li>
            </ol>
            ${isCreated ? html`<p><button
                type="button"
                onClick=${onDone}
            >Show the overview</button></p>` : null}
        <//>
        <${Card} title="From a terminal or a program">
            <div class="stack lines">
                <div>
                    <p class="muted">Create a schedule with curl</p>
                    <${CopyLine}
                        text=${`curl ${at("schedules")}${token} -d ${quoted(REPORT)}`}
                    />
                </div>
                <div>
                    <p class="muted">The same with the command line</p>
                    <${CopyLine}
                        text=${`belfry schedule create report ${server} ${REPORT_OPTIONS}`}
                    />
                </div>
                <div>
                    <p
                        class="muted"
                    >Take a run from a queue, and report its end with the id and fence of the answer</p>
                    <${CopyLine}
                        text=${`curl ${at("queues/claim")}${token} -d ${quoted(CLAIM)}`}
                    />
                    <${CopyLine}
                        text=${`curl ${at("runs/complete")}${token} -d ${quoted(COMPLETE)}`}
                    />
                </div>
                <p class="small"><a href="/openapi.json">All operations</a>, as OpenAPI 3.1</p>
            </div>
        <//>`;
}
