import { once } from 'node:events';
import net, { type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, client } from './support/app.js';
import { type ClonedDatabase, cloneDatabase } from './support/database.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { freePort } from './support/free-port.js';
import { ModelServer } from './support/model-server.js';
import { mayName, NameServer } from './support/name-server.js';
import { describeWhere } from './support/shared-data.js';
import { redisBinary, startRedis, type TestRedis } from './support/redis.js';
import { DeployedRetrieval, retrievalKey } from './support/retrieval-process.js';
import { firstToken, ServiceProcess } from './support/service-process.js';
import { until } from './support/slow-queries.js';
import { Receiver } from './support/webhook-receiver.js';

/** The two addresses that the operator allows, and one that is forbidden because it is the machine's own. */
const [here, there, forbidden] = ['127.0.0.2', '127.0.0.3', '127.0.0.1'] as const;

/** Listens on one port at three addresses. The two allowed ones forward to a server. The forbidden one only counts connections. */
class Stand {
  readonly came = { [here]: 0, [there]: 0, [forbidden]: 0 };
  private readonly servers = new Map<string, Server>();
  private readonly sockets = new Map<string, Set<Socket>>();
  private constructor(readonly port: number, private readonly upstreamPort: number) {} // prettier-ignore

  static async open(upstreamPort: number): Promise<Stand> {
    const stand = new Stand(await freePort(), upstreamPort);
    for (const address of [here, there, forbidden] as const) await stand.listen(address);
    return stand;
  }

  private async listen(address: typeof here | typeof there | typeof forbidden): Promise<void> {
    const sockets = new Set<Socket>();
    const server = net.createServer(socket => {
      this.came[address]++;
      sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
      if (address === forbidden) return void socket.destroy();
      const upstream = net.connect(this.upstreamPort, '127.0.0.1').on('error', () => undefined);
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    await once(server.listen(this.port, address), 'listening');
    this.servers.set(address, server);
    this.sockets.set(address, sockets);
  }

  /** Closes the listener at an address, and its connections. */
  leave(address: string): void {
    this.servers.get(address)?.close();
    for (const socket of this.sockets.get(address) ?? []) socket.destroy();
  }

  close(): void {
    for (const address of this.servers.keys()) this.leave(address);
  }
}

describeWhere(
  mayName && redisBinary !== undefined,
  'names that move',
  'this needs redis-server, and a user who may make mounts, as root may',
  () => {
    let names: NameServer;
    let database: ClonedDatabase;
    let foreign: ForeignPostgres;
    let model: ModelServer;
    let redis: TestRedis;
    let retrieval: DeployedRetrieval;
    const receiver = new Receiver();
    const stands: Record<'warehouse' | 'hooks' | 'model' | 'redis' | 'retrieval', Stand> = {} as never;
    let service: ServiceProcess;
    let admin: Client;
    let graphId: number;
    let hooks: string;

    const lead = (name: string, ...addresses: string[]) => names.names.set(name, () => addresses);
    /** Lets a name resolve to the allowed address once and to the forbidden one twice, again and again. */
    const turn = (name: string) => {
      let asked = 0;
      names.names.set(name, () => [asked++ % 3 === 0 ? here : forbidden]);
    };

    beforeAll(async () => {
      [names, database, foreign, model, redis] = await Promise.all([NameServer.start(), cloneDatabase(), ForeignPostgres.start(), ModelServer.start(), startRedis()]); // prettier-ignore
      await foreign.run('CREATE TABLE plain (id int); INSERT INTO plain VALUES (1)');
      await receiver.listen();
      retrieval = await DeployedRetrieval.start({ DATABASE_RETRIEVAL_URL: database.url, RETRIEVAL_KEY: retrievalKey });
      const upstreams = { warehouse: foreign.port, redis: redis.port, hooks: portOf(receiver.url), model: portOf(model.url), retrieval: portOf(retrieval.url) }; // prettier-ignore
      for (const [name, port] of Object.entries(upstreams)) stands[name as keyof typeof stands] = await Stand.open(port);
      for (const name of ['redis.test', 'retrieval.test', 'model.test']) lead(name, here);
      service = await ServiceProcess.start({
        through: names.through,
        environment: {
          DATABASE_URL: database.url,
          SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
          WAREHOUSE_ALLOWED_ADDRESSES: `${here}, ${there}`,
          LLM_BASE_URL: `http://model.test:${stands.model.port}/v1`,
          LLM_MODEL: 'scripted',
          REDIS_URL: `redis://redis.test:${stands.redis.port}`,
          RETRIEVAL_URL: `http://retrieval.test:${stands.retrieval.port}`,
          RETRIEVAL_KEY: retrievalKey,
          LOG_LEVEL: 'warn',
        },
      });
      admin = client(service.url, await firstToken(service.url));
      await admin.put('/api/warehouse/connections/1/tables/customers').set('Content-Type', 'text/csv').send('id\n1\n2\n').expect(201);
      graphId = (await admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
      const mapping = 'version: 1\nnodes: [{id: c, label: 客户, table: customers, key: [id], columns: [{column: id}]}]';
      const job = (await admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201)).body.id;
      await admin.post(`/api/ingestion/jobs/${job}/run`).set('Prefer', 'wait=60').expect(200);
      hooks = `/api/ingestion/jobs/${job}/webhooks`;
    }, 240_000);
    afterAll(async () => {
      await service?.kill();
      await retrieval?.kill();
      for (const stand of Object.values(stands)) stand.close();
      receiver.close();
      await Promise.all([model?.stop(), redis?.stop(), foreign?.remove(), names?.stop()]);
      await database?.drop();
    });

    const connect = async (host: string, type = 'postgres'): Promise<string> => {
      const dsn = type === 'postgres' ? foreign.dsn({ host }).replace(`:${foreign.port}`, `:${stands.warehouse.port}`) : `${type}://u:p@${host}:${stands.warehouse.port}/d`; // prettier-ignore
      const options = type === 'mysql' ? { ssl_mode: 'disable' } : {};
      const { body, status } = await admin.post('/api/warehouse/connections').send({ name: `${type} ${host}`, type, dsn, options });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return `/api/warehouse/connections/${body.id}`;
    };
    /** Sends a test message to a new webhook. Returns the HTTP status of the first attempt, or the code of its error. */
    const tell = async (host: string): Promise<unknown> => {
      const { body } = await admin
        .post(hooks)
        .send({ url: `http://${host}:${stands.hooks.port}/hook` })
        .expect(201);
      await admin.post(`${hooks}/${body.id}/test`).expect(202);
      for (;;) {
        const [last] = (await admin.get(`${hooks}/${body.id}/deliveries`).expect(200)).body.items;
        if (last.answered !== null || last.error !== null) {
          await admin.delete(`${hooks}/${body.id}`).expect(204);
          return last.answered ?? last.error.code;
        }
        await sleep(30);
      }
    };

    it.each(['postgres', 'mysql', 'clickhouse'])('lead no connection of type %s to an address that was not checked', async type => {
      turn('turning.test');
      const at = await connect('turning.test', type);
      const said: string[] = [];
      for (let count = 0; count < (type === 'mysql' ? 6 : 20); count++) {
        said.push(JSON.stringify((await admin.post(`${at}/test`).expect(200)).body));
        if (type === 'postgres') await admin.get(`${at}/tables`);
      }
      expect(said.some(text => /not allowed/.test(text))).toBe(true);
      expect([stands.warehouse.came[here] > 0, stands.warehouse.came[forbidden]]).toEqual([true, 0]);
      expect(said.join()).not.toContain(forbidden);
      await admin.delete(at).expect(204);
    });

    it('lead no webhook there', async () => {
      turn('turning.test');
      const ends = [];
      for (let count = 0; count < 10; count++) ends.push(await tell('turning.test'));
      expect(new Set(ends)).toEqual(new Set([204, 'blocked_address']));
      expect(stands.hooks.came[forbidden]).toBe(0);
    });

    it.each([`${here} ${forbidden}`, `${here} ::1`, `${here} ::ffff:${forbidden}`, `${here} 169.254.169.254`, '0.0.0.0'])(
      'lead nowhere with a forbidden address among them: %s',
      async addresses => {
        const came = { ...stands.hooks.came };
        lead('several.test', ...addresses.split(' '));
        expect(await tell('several.test')).toBe('blocked_address');
        expect(stands.hooks.came).toEqual(came);
      },
    );

    it('are followed by the connections and webhooks of users', async () => {
      lead('moving.test', here);
      const at = await connect('moving.test');
      await admin.get(`${at}/tables`).expect(200);
      expect(await tell('moving.test')).toBe(204);
      lead('moving.test', there);
      for (const stand of [stands.warehouse, stands.hooks]) stand.leave(here);
      await until(async () => (await admin.get(`${at}/tables`)).status === 200);
      expect(await tell('moving.test')).toBe(204);
      expect([stands.warehouse.came[there] > 0, stands.hooks.came[there]]).toEqual([true, 1]);
    });

    it('are followed by the Redis, the model and the retrieval process of the operator', async () => {
      model.reply = () => JSON.stringify({ text: '共有 2 个客户。', rows: [1] });
      let nonce = 0;
      const ask = async (): Promise<string | undefined> => {
        const { body } = await admin.post(`/api/graphs/${graphId}/query`).send({ question: '有多少个客户？', limit: 100 + nonce++ });
        return body.answer?.mode;
      };
      await until(async () => (await ask()) === 'llm');
      for (const name of ['redis', 'model', 'retrieval'] as const) {
        lead(`${name}.test`, there);
        stands[name].leave(here);
      }
      await until(async () => (await ask()) === 'llm');
      for (const name of ['redis', 'model', 'retrieval'] as const) expect(stands[name].came[there]).toBeGreaterThan(0);
    });

    it('keep the Redis of the service out of reach of its users, wherever it is', async () => {
      const { status, body } = await admin
        .post('/api/warehouse/connections')
        .send({ name: 'own', type: 'clickhouse', dsn: `clickhouse://u:p@${there}:${stands.redis.port}/d` });
      const said = status === 201 ? (await admin.post(`/api/warehouse/connections/${body.id}/test`)).body : body;
      expect(JSON.stringify(said)).toContain('BLOCKED_ADDRESS');
    });
  },
);

function portOf(url: string): number {
  return Number(new URL(url).port);
}
