import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seal, sealingKey } from '../src/secrets/sealed-text.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const encryptionKey = 'a key for the tests of at least 32 bytes';

describe('webhooks on several processes with one database', () => {
  let database: TestDatabase;
  let services: ServiceProcess[];
  let client: pg.Client;
  let receiver: http.Server;
  const received: string[] = [];
  let answers = true;
  const environment = () => ({
    DATABASE_URL: database.url,
    JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5',
    SECRET_ENCRYPTION_KEY: encryptionKey,
    WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1',
    RETRIEVAL_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'error',
  });
  beforeAll(async () => {
    receiver = http.createServer((request, response) => {
      request.resume().on('end', () => {
        received.push(String(request.headers['webhook-id']));
        if (answers) response.end();
      });
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    services = [await ServiceProcess.start({ environment: environment() }), await ServiceProcess.start({ environment: environment() })];
    await firstToken(services[0]!.url);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await client.query(
      `INSERT INTO webhooks (id, kind, target_id, url, events, secret_sealed, created_by) SELECT 1, 'test', 1, $1, '{}', $2, id FROM users`,
      [url, seal(`whsec_${Buffer.alloc(32).toString('base64')}`, 'webhook 1', sealingKey(encryptionKey))],
    );
  });
  afterAll(async () => {
    for (const service of services ?? []) await service.kill();
    await client?.end();
    await database?.drop();
    receiver.closeAllConnections();
    receiver.close();
  });

  const write = (count: number) =>
    client.query(`INSERT INTO webhook_deliveries (webhook_id, event, payload) SELECT 1, 'test', '{}' FROM generate_series(1, $1)`, [count]);
  async function until(status: string, count: number): Promise<void> {
    for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
      const { rows } = await client.query('SELECT count(*)::int AS n FROM webhook_deliveries WHERE status = $1', [status]);
      if (rows[0].n === count) return;
      if (Date.now() > deadline) throw new Error(`${rows[0].n} are ${status}, not ${count}`);
    }
  }

  it('deliver each message once', async () => {
    await write(100);
    await until('delivered', 100);
    expect(received).toHaveLength(100);
    expect(new Set(received).size).toBe(100);
  });

  it('deliver the same message again when their process dies between sending and recording', async () => {
    received.length = 0;
    answers = false;
    await client.query('DELETE FROM webhook_deliveries');
    const [victim, other] = services as [ServiceProcess, ServiceProcess];
    other.child.kill('SIGSTOP');
    await write(1);
    while (received.length === 0) await sleep(20);
    victim.child.kill('SIGKILL');
    await victim.ended;
    other.child.kill('SIGCONT');
    expect((await client.query('SELECT status, attempts FROM webhook_deliveries')).rows).toEqual([{ status: 'pending', attempts: 1 }]);
    // For some time its sender does not count as dead, so the message is not sent again yet.
    await sleep(2_500);
    expect(received).toHaveLength(1);
    answers = true;
    await client.query('UPDATE webhook_deliveries SET next_at = now()');
    await until('delivered', 1);
    expect(received).toEqual([received[0], received[0]]);
  });

  it('give up a message whose sender dies at its last attempt too', async () => {
    received.length = 0;
    answers = false;
    await client.query('DELETE FROM webhook_deliveries');
    const victim = services[1]!;
    await client.query(`INSERT INTO webhook_deliveries (webhook_id, event, payload, attempts) VALUES (1, 'test', '{}', 6)`);
    while (received.length === 0) await sleep(20);
    victim.child.kill('SIGKILL');
    await victim.ended;
    expect((await client.query('SELECT status, attempts FROM webhook_deliveries')).rows).toEqual([{ status: 'pending', attempts: 7 }]);
    services.push(await ServiceProcess.start({ environment: environment() }));
    await client.query('UPDATE webhook_deliveries SET next_at = now()');
    await until('failed', 1);
    const { rows } = await client.query('SELECT attempts, error, ended_at IS NOT NULL AS ended FROM webhook_deliveries');
    expect(rows).toEqual([{ attempts: 7, error: 'sender_lost', ended: true }]);
    expect(received).toHaveLength(1);
  });
});
