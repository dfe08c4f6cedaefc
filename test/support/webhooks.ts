import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp } from './app.js';
import { aGraph, aJob } from './ingestion.js';
import { type Received, type Receiver } from './webhook-receiver.js';

/** A mapping of the table `hooked` with the columns `id` and `secret`. */
export const hookedMapping = `version: 1
nodes:
  - {id: r, label: 行, table: hooked, key: [id], columns: [{column: id}, {column: secret, property: 秘密, type: int, sensitive: true}]}
`;

/** Verifies a message by running the code that docs/operating.md shows. */
export function verifyAsDocumented(secret: string, { headers, body }: Received): any {
  const docs = readFileSync(path.resolve(__dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
  const shown = /```js\n(.*?)```/s.exec(docs)![1]!;
  const call = `${shown}
    import { readFileSync } from 'node:fs';
    const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
    try { console.log(JSON.stringify(verify(secret, headers, body))); } catch (error) { console.log(JSON.stringify(error.message)); }`;
  const input = JSON.stringify({ secret, headers, body });
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', call], { input, encoding: 'utf8' }));
}

export const hooksOf = (jobId: number) => `/api/ingestion/jobs/${jobId}/webhooks`;

/** Makes a webhook that sends to the receiver, on a new job in a new graph. */
export async function aWebhook(
  app: TestApp,
  receiver: Receiver,
  request: object = {},
  mapping = hookedMapping,
): Promise<{ jobId: number; hook: any; at: string }> {
  const jobId = await aJob(app, await aGraph(app), mapping);
  const { body: hook } = await app.admin
    .post(hooksOf(jobId))
    .send({ url: `${receiver.url}/hook`, ...request })
    .expect(201);
  return { jobId, hook, at: `${hooksOf(jobId)}/${hook.id}` };
}

/** The newest deliveries of a webhook. */
export async function deliveriesOf({ admin }: TestApp, at: string): Promise<any[]> {
  return (await admin.get(`${at}/deliveries`).expect(200)).body.items;
}

/** Waits until the newest delivery of a webhook fulfils a condition. */
export async function untilLastDelivery(app: TestApp, at: string, is: (delivery: any) => boolean): Promise<any> {
  for (const deadline = Date.now() + 20_000; ; await sleep(30)) {
    const [last] = await deliveriesOf(app, at);
    if (last && is(last)) return last;
    if (Date.now() > deadline) throw new Error(JSON.stringify(last));
  }
}
