import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { ingest } from './support/ingestion.js';
import { findEngine, PostgresEngine } from './support/postgres-engine.js';

describe('source rows of a server before PostgreSQL 16', () => {
  let test: TestApp;
  let engine: PostgresEngine | null = null;
  /** Connections name a server by TCP, but the engine listens on a socket. */
  const door = net.createServer(socket => {
    const folder = decodeURIComponent(/host=([^&]+)/.exec(engine!.url)![1]!);
    const inner = net.connect(path.join(folder, '.s.PGSQL.5432'));
    socket.pipe(inner).pipe(socket);
    for (const end of [socket, inner]) end.on('error', () => [socket, inner].forEach(each => each.destroy()));
  });
  beforeAll(async () => {
    const bin = (await findEngine(15)) ?? (await findEngine(14));
    if (bin === null) return;
    [test, engine] = await Promise.all([startTestApp(), PostgresEngine.start(bin)]);
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
  });
  afterAll(async () => {
    if (!engine) return;
    door.close();
    await Promise.all([test.close(), engine.remove()]);
  });

  it('are found by keys that are written as in the graph, and others are said to need a newer server', async () => {
    if (!engine) return void process.stderr.write('Skipped: neither PostgreSQL 14 nor 15 is on this machine\n');
    await asSuperuser(engine.url, `CREATE TABLE old (id text PRIMARY KEY, at text, v text);
      INSERT INTO old VALUES ('7', '2024-01-05', 'a'), ('008', '2024-1-6', 'b')`); // prettier-ignore
    const dsn = `postgres://postgres@127.0.0.1:${(door.address() as net.AddressInfo).port}/postgres?sslmode=disable`;
    await test.admin.post('/api/warehouse/connections').send({ name: 'old', type: 'postgres', dsn }).expect(201);
    const { graphId } = await ingest(
      test,
      'version: 1\nsource: {connection: old}\nnodes: [{id: n, label: N, table: old, key: [id], columns: [{column: id, type: int}, {column: at, type: date}, {column: v}]}]',
    );
    const query = { cypher: 'MATCH (n:N) RETURN n ORDER BY n.id', include: ['source_rows'] };
    const { body } = await test.admin.post(`/api/graphs/${graphId}/query`).send(query).expect(200);
    expect([body.source_rows, body.warnings.join()]).toEqual([
      [{ citation: 0, row: { id: '7', at: '2024-01-05', v: 'a' } }],
      expect.stringMatching(/1 cited rows of old were not found: a server before PostgreSQL 16/),
    ]);
  });
});
