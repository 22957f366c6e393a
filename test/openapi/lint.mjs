// SPDX-License-Identifier: Apache-2.0
//
// Lints the document with Redocly's recommended rules and some more; any error or warning is a
// failure.
//
//     node lint.mjs DOCUMENT
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const RULES = {
    // The server is "/", which is the server that the document came from.
    'no-server-example.com': 'error',
    'operation-operationId-unique': 'error',
    'operation-description': 'error',
    'operation-4xx-response': 'error',
    'operation-2xx-response': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'no-ambiguous-paths': 'off', // a literal segment takes precedence over a variable
    'no-identical-paths': 'error',
    'path-parameters-defined': 'error',
    'tag-description': 'error',
    'tags-alphabetical': 'off',
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'parameter-description': 'error',
    'security-defined': 'error',
    'no-required-schema-properties-undefined': 'error',
    'no-schema-type-mismatch': 'error',
    'spec-strict-refs': 'off',
};

const [path] = process.argv.slice(2);
const config = await createConfig({ extends: ['recommended'], rules: RULES });
const problems = await lintFromString({
    source: readFileSync(path, 'utf8'),
    absoluteRef: path,
    config,
});
for (const problem of problems) {
    const [at] = problem.location;
    console.error(`${problem.severity} ${problem.ruleId}: ${problem.message} (${at?.pointer})`);
}
console.log(`${problems.length} errors and warnings`);
process.exitCode = problems.length > 0 ? 1 : 0;
