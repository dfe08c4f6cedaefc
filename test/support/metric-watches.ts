import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, type TestApp } from './app.js';
import { aGraph, upload } from './ingestion.js';
import { Receiver } from './webhook-receiver.js';

/** The cron expression of watches that only a test makes due: their next time is on 1 January. */
export const never = '0 0 1 1 *';

/** Watches of a user who may edit the graph and read the mirror, and the receiver of their webhooks. */
export class MetricWatches {
  private metrics = 0;

  private constructor(
    private readonly app: TestApp,
    readonly receiver: Receiver,
    readonly editor: Client,
    readonly editorId: number,
  ) {}

  static async start(app: TestApp): Promise<MetricWatches> {
    const editor = await app.asUser('lin');
    const { body } = await editor.get('/api/auth/me').expect(200);
    await grantConnection(app, 'lin');
    const receiver = new Receiver();
    await receiver.listen();
    return new MetricWatches(app, receiver, editor, body.user_id);
  }

  async clear(): Promise<void> {
    await this.app.pool.query('DELETE FROM metric_watches');
    this.receiver.received.length = 0;
    this.receiver.answer = () => 204;
  }

  async sales(amounts: string[], type = 'numeric'): Promise<void> {
    await upload(this.app, 'sales', `region,amount\n${amounts.map((amount, index) => `r${index},${amount}\n`).join('')}`, `amount:${type}`);
  }

  /** Makes a metric that the user `editor` defines, on a graph of the admin. */
  async aMetric(
    amounts: string[],
    more: object = {},
    as = this.editor,
  ): Promise<{ graphId: number; metricId: number; name: string; at: string }> {
    const { admin } = this.app;
    await this.sales(amounts);
    const graphId = await aGraph(this.app);
    await admin.post(`/api/permissions/graphs/${graphId}/members`).send({ user_id: this.editorId, role: 'editor' }).expect(201);
    const binding = { relation: { table: 'sales' }, dimensions: [{ name: '地区', column: 'region' }] };
    const name = `m${++this.metrics}`;
    const metric = { graph_id: graphId, name, formula: 'SUM(amount)', binding, ...more };
    const { body } = await as.post('/api/metrics').send(metric).expect(201);
    return { graphId, metricId: body.id, name, at: `/api/metrics/${body.id}/watches` };
  }

  async aWatch(at: string, more: object = {}, as = this.editor): Promise<any> {
    const request = { cron: never, condition: { op: '>', value: '0.3' }, url: `${this.receiver.url}/hook`, ...more };
    return (await as.post(at).send(request).expect(201)).body;
  }

  async makeDue(id: number): Promise<void> {
    await this.app.pool.query(
      `UPDATE schedules SET next_at = now() - interval '1 s', look_at = now() WHERE kind = 'metric_watch' AND target_id = $1`,
      [id],
    );
  }

  async until(url: string, is: (watch: any) => boolean): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await this.app.admin.get(url).expect(200);
      if (is(body)) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }

  /** Makes the watch due, and waits until it was checked. */
  async check(at: string, id: number): Promise<any> {
    const before = (await this.app.admin.get(`${at}/${id}`).expect(200)).body;
    await this.makeDue(id);
    return this.until(`${at}/${id}`, watch => watch.checked_at !== before.checked_at);
  }

  /** The bodies of the messages that the receiver got. */
  messages(): any[] {
    return this.receiver.received.map(({ body }) => JSON.parse(body));
  }
}
