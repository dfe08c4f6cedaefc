import net, { type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { startTestApp, type TestApp } from './support/app.js';
import { sendLogin } from './support/limited-clients.js';
import { describeWithRedis, startRedis, type TestRedis } from './support/redis.js';

/** A proxy that stands for the host name of a Redis. After a failover, new connections lead to another server, while open ones stay. */
class Name {
  answer: 'whole' | 'lost' | 'half' | 'foreign' = 'whole';
  private readonly server = net.createServer(client => {
    const upstream = net.connect(this.leadsTo, '127.0.0.1');
    client.on('data', (bytes: Buffer) => upstream.write(bytes));
    upstream.on('data', (bytes: Buffer) => {
      if (this.answer === 'lost') client.destroy();
      else client.write({ whole: bytes, half: bytes.subarray(0, 3), foreign: 'HTTP/1.1 400 Bad Request\r\n\r\n' }[this.answer]);
    });
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) one.on('error', () => undefined).on('close', () => other.destroy()); // prettier-ignore
  });

  constructor(public leadsTo: number) {}

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }
}

describeWithRedis('limits in a Redis that fails while it answers', () => {
  let first: TestRedis;
  let second: TestRedis;
  let name: Name;
  let test: TestApp;
  let operator: Redis;
  beforeAll(async () => {
    [first, second] = await Promise.all([startRedis(), startRedis()]);
    name = new Name(first.port);
    operator = new Redis(first.url);
    test = await startTestApp({
      RATE_LIMIT_SCALE: '1',
      TRUST_PROXY: '1',
      WORKER: 'off',
      LOG_LEVEL: 'silent',
      REDIS_URL: await name.listen(),
    });
  });
  afterAll(async () => {
    await test?.close();
    operator?.disconnect();
    name?.close();
    await Promise.all([first?.stop(), second?.stop()]);
  });

  let address = 0;
  const login = () => sendLogin(test, `198.51.100.${++address}`);
  const expectRefused = async (): Promise<void> => {
    const { status, body, headers } = await login();
    expect([status, body.code, headers['retry-after']]).toEqual([500, 'limits_unavailable', '5']);
  };
  async function untilAdmitted(): Promise<void> {
    for (const deadline = Date.now() + 20_000; (await login()).status !== 401;) expect(Date.now()).toBeLessThan(deadline);
  }

  it.each(['lost', 'half', 'foreign'] as const)('refuse while its answers are %s, and admit once they are whole again', async answer => {
    name.answer = answer;
    await expectRefused();
    await expectRefused();
    name.answer = 'whole';
    await untilAdmitted();
  });

  it.each([
    ['has no memory left', ['maxmemory', '1mb'], ['maxmemory', '0']],
    ['has lost its replicas', ['min-replicas-to-write', '1'], ['min-replicas-to-write', '0']],
  ] as const)('refuse while it %s, and admit as soon as it writes again', async (_, before, after) => {
    await operator.config('SET', ...before);
    await expectRefused();
    await operator.config('SET', ...after);
    await login().expect(401);
  });

  it('go on after it has lost the script, and without the counts that it has lost', async () => {
    for (let count = 0; count < 10; count++) await sendLogin(test, '198.51.101.1').expect(401);
    await operator.script('FLUSH');
    await sendLogin(test, '198.51.101.1').expect(429);
    await operator.flushall();
    await sendLogin(test, '198.51.101.2').expect(401);
  });

  it('follow its name to the new primary when it becomes a replica (risk: all requests fail until a restart)', async () => {
    await operator.replicaof('127.0.0.1', String(second.port));
    await expectRefused();
    name.leadsTo = second.port;
    await untilAdmitted();
    const primary = new Redis(second.url);
    expect(await primary.llen(`rate-limit:login:198.51.100.${address}`)).toBe(1);
    primary.disconnect();
  });
});
