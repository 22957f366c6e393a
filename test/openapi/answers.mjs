// SPDX-License-Identifier: Apache-2.0
//
// Validates real requests and answers, recorded by test/openapi/record.c, against the document:
// an answer must have a status that its operation lists and match the schema of that status,
// without other members; a successful request must match the schema of its body.  Every success
// status and every content type that the document lists must occur, and so must answers of every
// operation that takes `fields`.
//
//     node answers.mjs DOCUMENT DIRECTORY
import { createReadStream, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const SHOWN = 20; // failures to print
const ADDRESS = 'https://belfry.invalid/openapi.json';
const COMPLETE = 'https://belfry.invalid/complete.json';
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

const [documentPath, directory] = process.argv.slice(2);
const openapi = JSON.parse(readFileSync(documentPath, 'utf8'));

// Answers may not have members that the document does not name.  Objects that are combined with
// allOf are checked as a whole.
function close(schema, isPart = false) {
    if (Array.isArray(schema)) return schema.map((one) => close(one, isPart));
    if (schema === null || typeof schema !== 'object') return schema;
    const closed = Object.fromEntries(
        Object.entries(schema).map(([key, value]) => [
            key,
            ['example', 'examples', 'default', 'enum', 'const'].includes(key)
                ? value
                : close(value, key === 'allOf'),
        ]),
    );
    const isObject = schema.properties && !('additionalProperties' in schema);
    if (!isPart && (isObject || schema.allOf)) closed.unevaluatedProperties = false;
    return closed;
}

// A schema that others combine with allOf stays open; it is closed where it is used alone.
const parts = new Set();
for (const schema of Object.values(openapi.components.schemas))
    for (const part of schema.allOf ?? [])
        if (part.$ref) parts.add(part.$ref.split('/').pop());

const schemas = {};
for (const [name, schema] of Object.entries(openapi.components.schemas))
    schemas[name] = close(schema, parts.has(name));
const closed = { ...close(openapi), components: { ...openapi.components, schemas } };

// Without `fields`, an answer has all members: the form with some of them is not allowed.
const partNames = Object.keys(openapi.components.schemas)
    .filter((name) => name.endsWith('Part'))
    .map((name) => `#/components/schemas/${name}`);

function complete(schema) {
    if (Array.isArray(schema)) return schema.map(complete);
    if (schema === null || typeof schema !== 'object') return schema;
    const whole = Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, complete(v)]));
    if (whole.anyOf) whole.anyOf = whole.anyOf.filter((one) => !partNames.includes(one.$ref));
    return whole;
}

const ajv = new Ajv2020({ strict: false, allErrors: false, discriminator: false });
addFormats(ajv);
ajv.addSchema(closed, ADDRESS);
ajv.addSchema(complete(closed), COMPLETE);

const validators = new Map();
function validator(...path) {
    return validatorOf(ADDRESS, path);
}

function validatorOf(address, path) {
    const pointer = path.map((p) => encodeURIComponent(p.replace(/~/g, '~0').replace(/\//g, '~1')));
    const key = `${address}#/${pointer.join('/')}`;
    if (!validators.has(key)) validators.set(key, ajv.compile({ $ref: key }));
    return validators.get(key);
}

// If two paths match, the one with fewer variables is used.
const routes = Object.entries(openapi.paths)
    .map(([path, item]) => ({
        path,
        item,
        pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    }))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

function find(what) {
    const [method, target] = what.split(' ');
    const [path, query] = target.split('?');
    const route = routes.find(
        (r) => r.pattern.test(path) && METHODS.includes(method.toLowerCase()) &&
            r.item[method.toLowerCase()],
    );
    if (!route) return null;
    const at = ['paths', route.path, method.toLowerCase()];
    return { at, operation: route.item[method.toLowerCase()], query: query ?? '' };
}

// null means the default; maps with user-defined names contain no null in these tests.
function withoutNulls(value) {
    if (Array.isArray(value)) return value.map(withoutNulls);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
        Object.entries(value)
            .filter(([, v]) => v !== null)
            .map(([k, v]) => [k, withoutNulls(v)]),
    );
}

const failures = new Map(); // problem to its first exchange
const seen = new Map();
const selected = new Set(); // operations with an answer to a request with `fields`
let count = 0;

function fail(record, { operation }, why) {
    const key = `${operation.operationId} ${record.status}: ${why}`;
    const example = `    ${record.what}\n    sent ${String(record.body).slice(0, 200)}\n    got  ${String(record.answer).slice(0, 500)}`;
    if (!failures.has(key)) failures.set(key, example);
}

function errorsOf(validate) {
    return validate.errors
        .map((e) => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`)
        .join('; ');
}

function resolve(at, value) {
    if (!value?.$ref) return { at, value };
    const path = value.$ref.slice(2).split('/');
    return { at: path, value: path.reduce((node, key) => node[key], openapi) };
}

function hasFields(record, { query }) {
    if (record.status >= 300) return false;
    return new URLSearchParams(query).has('fields') || (record.body && JSON.parse(record.body).fields);
}

function checkAnswer(record, found) {
    const { at, operation } = found;
    const response = operation.responses[record.status];
    if (!response) return fail(record, found, 'the status is not listed');
    const { at: where, value } = resolve([...at, 'responses', String(record.status)], response);
    if (!value.content) return record.answer === '' || fail(record, found, 'a body where none is listed');
    const [type] = record.type.split(';');
    if (!value.content[type]) return fail(record, found, `its type is ${type}`);
    seen.set(`${operation.operationId} ${record.status} ${type}`, true);
    if (type === 'application/x-ndjson') return checkLines(record, found);
    if (type === 'text/event-stream') return checkEvents(record, found, where);
    if (!type.endsWith('json')) return;
    if (hasFields(record, found)) selected.add(operation.operationId);
    const address = hasFields(record, found) ? ADDRESS : COMPLETE;
    const validate = validatorOf(address, [...where, 'content', type, 'schema']);
    if (!validate(JSON.parse(record.answer))) fail(record, found, errorsOf(validate));
}

function checkLines(record, found) {
    const { value } = resolve([], found.operation.responses[record.status]);
    const path = value.content['application/x-ndjson'].schema['x-line'].$ref.slice(2).split('/');
    const validate = validator(...path);
    for (const line of record.answer.split('\n').filter(Boolean))
        if (!validate(JSON.parse(line))) fail(record, found, errorsOf(validate));
}

// Lines "NAME DATA".
function checkEvents(record, found, where) {
    const at = [...where, 'content', 'text/event-stream', 'schema', 'x-events'];
    const known = at.reduce((node, key) => node[key], openapi);
    for (const line of record.answer.split('\n').filter(Boolean)) {
        const [, name, data] = /^(\S+) (.*)$/.exec(line);
        if (!known[name] && !known['*']) return fail(record, found, `the event ${name} is not listed`);
        const validate = validator(...at, known[name] ? name : '*');
        if (!validate(JSON.parse(data))) fail(record, found, `${name}: ${errorsOf(validate)}`);
    }
}

// A batch has items that are invalid on purpose, each with a result that says so.
function onlyRight(body, record) {
    const results = JSON.parse(record.answer).results;
    if (!results || !body.items) return body;
    const wrong = new Set(
        results.map((r, i) => (['error', 'invalid'].includes(r.status) ? (r.index ?? i) : -1)),
    );
    return { ...body, items: body.items.filter((_, i) => !wrong.has(i)) };
}

function checkRequest(record, found) {
    const { at, operation, query } = found;
    const names = new Set(
        operation.parameters
            .map((p) => resolve([], p).value)
            .filter((p) => p.in === 'query')
            .map((p) => p.name),
    );
    // Operations that need no token ignore the query.
    const isGuarded = operation.security.length > 0;
    for (const name of new URLSearchParams(query).keys())
        if (isGuarded && !names.has(name) && name !== 'namespace')
            fail(record, found, `the parameter ${name} is not listed`);
    if (record.body === '' || record.body === null) return;
    if (!operation.requestBody) return fail(record, found, 'a body is not listed');
    const body = JSON.parse(record.body);
    const validate = validator(...at, 'requestBody', 'content', 'application/json', 'schema');
    const right = onlyRight(body, record);
    // A null that the schema itself allows has its own meaning.
    if (!validate(right) && !validate(withoutNulls(right)))
        fail(record, found, `request: ${errorsOf(validate)}`);
}

function check(record) {
    const found = find(record.what);
    if (!found || record.status === 0) return;
    count++;
    seen.set(`${found.operation.operationId} ${record.status}`, true);
    if (record.answer === null) return fail(record, found, 'the answer is not UTF-8');
    checkAnswer(record, found);
    if (record.status < 300) checkRequest(record, found);
}

for (const name of readdirSync(directory)) {
    const lines = createInterface({ input: createReadStream(join(directory, name)) });
    for await (const line of lines) check(JSON.parse(line));
}

function takesFields({ parameters, requestBody }) {
    if (parameters.some((one) => one.name === 'fields')) return true;
    const schema = resolve([], requestBody?.content['application/json'].schema).value;
    return schema?.properties?.fields !== undefined;
}

function checkSeen({ operationId, responses }, status) {
    if (!seen.has(`${operationId} ${status}`))
        failures.set(`${operationId} ${status}: was not seen`, '');
    for (const type of Object.keys(responses[status].content ?? {}))
        if (!seen.has(`${operationId} ${status} ${type}`))
            failures.set(`${operationId} ${status}: ${type} was not seen`, '');
}

for (const item of Object.values(openapi.paths))
    for (const operation of Object.values(item)) {
        for (const status of Object.keys(operation.responses))
            if (status < 400) checkSeen(operation, status);
        if (takesFields(operation) && !selected.has(operation.operationId))
            failures.set(`${operation.operationId}: fields were not seen`, '');
    }

for (const [what, example] of [...failures].slice(0, SHOWN)) console.error(`${what}\n${example}`);
if (failures.size > SHOWN) console.error(`… and ${failures.size - SHOWN} more`);
console.log(
    `${count} exchanges, ${seen.size} pairs of operation and status, ${failures.size} failures`,
);
process.exitCode = failures.size > 0 || count === 0 ? 1 : 0;
