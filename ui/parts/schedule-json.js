/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a schedule as JSON: without defaults, or everything that the server returns. */
import { html } from "../lib/html.js";
import { request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { Card, CopyLine, Load, Tabs } from "./basic.js";
import { loadDoc, parseDoc, printDoc } from "./editor-doc.js";

/** @type {Array<[string, string]>} */
const KINDS = [
    ["document", "Document"],
    ["full", "With defaults and state"],
];

/** @param {{schedule: any}} props */
export function ScheduleJson({ schedule }) {
    const { id, state } = schedule;
    const kind = query.value.json === "full" ? "full" : "document";
    const loaded = useResource(
        `json ${id} ${kind} ${state.version}`,
        async (abort) =>
            kind === "full"
                ? parseDoc(await request("GET", v1("schedules", id), { signal: abort, raw: true }))
                : (await loadDoc(id, abort)).doc,
        { keep: true },
    );
    return html`<${Card}
        title="JSON"
        actions=${html`<${Tabs}
            label="What to show"
            tabs=${KINDS}
            chosen=${kind}
            onChoose=${(/** @type {string} */ name) => setQuery({ json: name === "full" ? name : null })}
        />`}
    >
        <${Load} of=${loaded} rows=${10}
            >${(/** @type {any} */ doc) => html`<${CopyLine} text=${printDoc(doc)} />`}<//
        >
    <//>`;
}
