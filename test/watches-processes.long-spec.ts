import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from './support/app.js';
import { aGraph, upload } from './support/ingestion.js';
import { ServiceProcess } from './support/service-process.js';
import { Receiver } from './support/webhook-receiver.js';

const never = '0 0 1 1 *';

describe('watches on two processes with one database', () => {
  it('are checked and told of once at each time, also while one of the processes is killed', async () => {
    const receiver = new Receiver();
    await receiver.listen();
    const app = await startTestApp({ WORKER: 'off' });
    const environment = {
      DATABASE_URL: app.databaseUrl,
      JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5',
      SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
      WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1',
      RETRIEVAL_URL: 'http://127.0.0.1:9',
      LOG_LEVEL: 'error',
      WORKER: 'only',
    };
    const workers: ServiceProcess[] = [];
    /** The watch of each message by its id. A killed sender may have sent a message that is sent again, with the same id. */
    const told = () => new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).data.watch_id]));
    /** Waits for this number of messages. Another process takes over the work of a killed one within 60 seconds. */
    const untilTold = async (count: number) => {
      for (const deadline = Date.now() + 100_000; told().size < count; await sleep(50)) {
        if (Date.now() > deadline) throw new Error(`${told().size} of ${count} told`);
      }
    };
    try {
      await upload(app, 'sales', 'amount\n1\n', 'amount:numeric');
      const graphId = await aGraph(app);
      const metric = { graph_id: graphId, name: 'm', formula: 'SUM(amount)', binding: { relation: { table: 'sales' } } };
      const { body } = await app.admin.post('/api/metrics').send(metric).expect(201);
      const ids: number[] = [];
      for (let index = 0; index < 10; index++) {
        const watch = { cron: never, condition: { op: '=', value: '1' }, notify: 'always', url: `${receiver.url}/hook` };
        ids.push((await app.admin.post(`/api/metrics/${body.id}/watches`).send(watch).expect(201)).body.id);
      }
      workers.push(await ServiceProcess.start({ environment }), await ServiceProcess.start({ environment }));
      for (let round = 1; round <= 3; round++) {
        await app.pool.query(`UPDATE schedules SET next_at = date_trunc('second', now()), look_at = now()`);
        // Waits first for the messages of two watches of this round, so that the process is killed while others are under way.
        if (round === 2) {
          await untilTold(12);
          await workers[0]!.kill();
        }
        await untilTold(10 * round);
      }
      await sleep(2_000);
      expect([...told().values()].sort((a, b) => a - b)).toEqual(ids.flatMap(id => [id, id, id]));
    } finally {
      for (const worker of workers) await worker.kill();
      await app.close();
      receiver.close();
    }
  }, 180_000);
});
