/* SPDX-License-Identifier: Apache-2.0 */
/* What a run does: the action in the form, by its type. */
import { html, useRef } from "../lib/html.js";
import { get } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { getIn, isPlain } from "./editor-doc.js";
import { JsonRow, LinesRow, PairsRow, ReadOnly, Rest, Row, TextRow } from "./editor-fields.js";
import { ACTIONS } from "./editor-words.js";
import { Section, countSet, hasError } from "./editor-spec.js";

/** @typedef {import("./editor-fields.js").Form} Form */

const PATH = ["action"];
const INPUT_HINT = 'JSON that the run gets, for example {"day": "monday"}.';

/** @param {{form: Form}} props */
function Http({ form }) {
    const more = ["timeout", "connectTimeout", "success", "redirects", "sign", "keepBytes", "keepHeaders"];
    return html`<div class="method-url">
            <${TextRow} form=${form} path=${["action", "method"]} label="Method" placeholder="POST" />
            <${TextRow}
                form=${form}
                path=${["action", "url"]}
                label="URL"
                placeholder="https://example.org/report"
                keepEmpty
                hint="May contain templates such as \${scheduledTime}."
            />
        </div>
        <${PairsRow} form=${form} path=${["action", "headers"]} label="Headers" add="Header" />
        <${JsonRow}
            form=${form}
            path=${["action", "body"]}
            label="Body"
            hint="JSON; a text in quotes is sent unchanged. Empty: the run itself."
        />
        <${JsonRow} form=${form} path=${["action", "input"]} label="Input" hint=${INPUT_HINT} />
        <${Section}
            title="Time limits, success, redirects, signature"
            count=${countSet(form, PATH, more)}
            open=${hasError(form, PATH, more)}
        >
            <div class="grid2 tight">
                <${TextRow} form=${form} path=${["action", "timeout"]} label="Time limit" placeholder="30s" />
                <${TextRow}
                    form=${form}
                    path=${["action", "connectTimeout"]}
                    label="Time limit to connect"
                    placeholder="10s"
                />
                <${TextRow}
                    form=${form}
                    path=${["action", "success"]}
                    label="Status codes of success"
                    placeholder="200-299"
                />
                <${TextRow}
                    form=${form}
                    path=${["action", "redirects"]}
                    label="Redirects to follow"
                    placeholder="0"
                    number
                />
                <${TextRow} form=${form} path=${["action", "sign"]} label="Signing key" placeholder="none" />
                <${TextRow}
                    form=${form}
                    path=${["action", "keepBytes"]}
                    label="Bytes of the response to keep"
                    placeholder="102400"
                    number
                />
            </div>
            <${LinesRow}
                form=${form}
                path=${["action", "keepHeaders"]}
                label="Headers of the response to keep"
                hint="One name per line."
            />
        <//>`;
}

/** @param {{form: Form}} props */
function Queue({ form }) {
    const queues = useResource("queues", (abort) => get("/api/v1/queues", { limit: 1000 }, abort));
    const names = (queues.data?.queues ?? []).map((/** @type {any} */ one) => one.name ?? one.queue);
    return html`<datalist id="queue-names">
            ${names.map((/** @type {string} */ name) => html`<option value=${name}></option>`)}
        </datalist>
        <div class="grid2 tight">
            <${TextRow}
                form=${form}
                path=${["action", "queue"]}
                label="Queue"
                placeholder="reports"
                list="queue-names"
                keepEmpty
            />
            <${TextRow} form=${form} path=${["action", "kind"]} label="Kind of work" hint="For the worker." />
        </div>
        <${JsonRow} form=${form} path=${["action", "input"]} label="Input" hint=${INPUT_HINT} />`;
}

/** @param {{form: Form}} props */
function Exec({ form }) {
    const more = ["cwd", "user", "killAfter", "limits"];
    const limits = ["action", "limits"];
    return html`<${LinesRow}
            form=${form}
            path=${["action", "argv"]}
            label="Program and arguments"
            rows=${3}
            placeholder="/usr/bin/true"
            hint="One argument per line, the program first. There is no shell."
        />
        <${PairsRow} form=${form} path=${["action", "env"]} label="Environment" add="Variable" />
        <${JsonRow} form=${form} path=${["action", "input"]} label="Input" hint=${INPUT_HINT} />
        <${Section}
            title="Directory, user, limits"
            count=${countSet(form, PATH, more)}
            open=${hasError(form, PATH, more)}
        >
            <div class="grid2 tight">
                <${TextRow} form=${form} path=${["action", "cwd"]} label="Directory" />
                <${TextRow} form=${form} path=${["action", "user"]} label="User" />
                <${TextRow}
                    form=${form}
                    path=${["action", "killAfter"]}
                    label="Time from SIGTERM to SIGKILL"
                    placeholder="10s"
                />
                <${TextRow} form=${form} path=${[...limits, "cpu"]} label="CPU time" />
                <${TextRow} form=${form} path=${[...limits, "memory"]} label="Memory, in bytes" number />
                <${TextRow}
                    form=${form}
                    path=${[...limits, "fileSize"]}
                    label="Size of a file, in bytes"
                    number
                />
                <${TextRow} form=${form} path=${[...limits, "openFiles"]} label="Open files" number />
                <${TextRow} form=${form} path=${[...limits, "processes"]} label="Processes" number />
            </div>
            <${Rest}
                value=${getIn(form.doc, limits)}
                known=${["cpu", "memory", "fileSize", "openFiles", "processes"]}
            />
        <//>`;
}

/** @param {{form: Form}} props */
function Workflow({ form }) {
    const more = ["workflowId", "correlationId", "queue"];
    return html`<div class="grid3 tight">
            <${TextRow} form=${form} path=${["action", "name"]} label="Workflow" keepEmpty />
            <${TextRow}
                form=${form}
                path=${["action", "version"]}
                label="Version"
                placeholder="newest"
                number
            />
            <${TextRow}
                form=${form}
                path=${["action", "upstream"]}
                label="Upstream"
                placeholder="of the namespace"
            />
        </div>
        <${JsonRow} form=${form} path=${["action", "input"]} label="Input" hint=${INPUT_HINT} />
        <${Section} title="Ids, queue" count=${countSet(form, PATH, more)} open=${hasError(form, PATH, more)}>
            <div class="grid3 tight">
                <${TextRow} form=${form} path=${["action", "workflowId"]} label="Workflow id" />
                <${TextRow} form=${form} path=${["action", "correlationId"]} label="Correlation id" />
                <${TextRow} form=${form} path=${["action", "queue"]} label="Queue" />
            </div>
        <//>`;
}

/** @type {Record<string, {Form: any, known: string[]}>} */
const TYPES = {
    http: {
        Form: Http,
        known: [
            "method",
            "url",
            "headers",
            "body",
            "timeout",
            "connectTimeout",
            "success",
            "redirects",
            "sign",
            "keepBytes",
            "keepHeaders",
            "input",
        ],
    },
    queue: { Form: Queue, known: ["queue", "kind", "input"] },
    exec: { Form: Exec, known: ["argv", "cwd", "env", "user", "limits", "killAfter", "input"] },
    workflow: {
        Form: Workflow,
        known: ["name", "version", "workflowId", "queue", "correlationId", "upstream", "input"],
    },
};

/** @type {Record<string, any>} */
const FRESH = { http: { url: "" }, queue: { queue: "" }, exec: { argv: [] }, workflow: { name: "" } };

/** @param {{form: Form}} props */
export function ActionForm({ form }) {
    const action = getIn(form.doc, PATH) ?? {};
    /* The settings of the types that were chosen before, so that a look at another type loses nothing. */
    const kept = useRef(/** @type {Record<string, any>} */ ({}));
    if (!isPlain(action)) return html`<${ReadOnly} name="action" value=${action} />`;
    const type = TYPES[action.type];
    const change = (/** @type {string} */ name) => {
        kept.current[action.type] = action;
        const input = action.input === undefined ? {} : { input: action.input };
        form.set(PATH, { ...(kept.current[name] ?? { type: name, ...FRESH[name] }), ...input });
    };
    return html`<div class="form">
        <${Row}
            form=${form}
            path=${["action", "type"]}
            label="What a run does"
            group
            hint=${ACTIONS.find(([name]) => name === action.type)?.[2]}
        >
            <div class="row" data-field="action" tabindex="-1">
                ${ACTIONS.map(
                    ([name, text]) =>
                        html`<label class="chip">
                            <input
                                type="radio"
                                name="action-type"
                                value=${name}
                                data-field=${name === action.type ? "action.type" : null}
                                checked=${name === action.type}
                                onChange=${() => change(name)}
                            />
                            ${text}
                        </label>`,
                )}
            </div>
        <//>
        ${type
            ? html`<${type.Form} key=${action.type} form=${form} />
                  <${Rest} value=${action} known=${["type", ...type.known]} />`
            : html`<${ReadOnly} name="action" value=${action} />`}
    </div>`;
}
