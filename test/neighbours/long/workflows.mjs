// SPDX-License-Identifier: Apache-2.0
// The workflow of worker.mjs, which the SDK runs in a sandbox.
import { proxyActivities } from '@temporalio/workflow';

const { touch } = proxyActivities({ startToCloseTimeout: '1 minute' });

export async function tick() {
    await touch();
}
