import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase } from './support/database.js';
import { sendRaw } from './support/raw-http.js';
import { freePort } from './support/free-port.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const jwtKey = 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7';

describe('the process', () => {
  let service: ServiceProcess;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterEach(() => service.kill());
  afterAll(() => database.drop());

  it('prints every problem of its settings in one list, and exits with 78 before anything else', async () => {
    service = await ServiceProcess.spawn({ environment: { PORT: 'x', JWT_SECRET_KEY: 'hunter2', CORS_ORIGINS: '*' } });
    expect((await service.ended).code).toBe(78);
    expect(service.stderr.trim().split('\n')).toHaveLength(4);
    expect(service.stderr).toMatch(/PORT: [\s\S]*JWT_SECRET_KEY: [\s\S]*CORS_ORIGINS: /);
    expect(service.stdout + service.stderr).not.toContain('hunter2');
    expect(service.stdout).toBe('');
  });

  it('prints the problems of the licence check in the same list, before any database is started', async () => {
    const wrong = { RETRIEVAL_URL: 'garbage', PORT: '9000', METRICS_PORT: '9000' };
    const licence = { LICENSE_CHECK_ENABLED: 'true', LICENSE_FILE: '/nowhere/x.lic', LICENSE_URL: 'ftp://x', LICENSE_PUBLIC_KEY: 'zz' };
    service = await ServiceProcess.spawn({ environment: { ...wrong, ...licence } });
    expect((await service.ended).code).toBe(78);
    for (const part of [
      'RETRIEVAL_URL: ',
      'METRICS_PORT: ',
      'LICENSE_URL: ',
      'LICENSE_PUBLIC_KEY: ',
      '[mode_ambiguous]',
      '[file_missing]',
    ]) {
      expect(service.stderr).toContain(part);
    }
    expect(service.stderr.trim().split('\n')).toHaveLength(7);
    expect(service.stdout).toBe('');
    expect(readdirSync(service.dataDirectory)).toEqual([]);
  });

  it('says once that tokens end with it, and says nothing of it when a key is set', async () => {
    const warnings = () => service.log.filter(({ msg }) => String(msg).includes('JWT_SECRET_KEY is unset'));
    service = await ServiceProcess.start({ environment: { DATABASE_URL: database.url } });
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toMatchObject({ level: 40 });
    await service.kill();
    service = await ServiceProcess.start({
      environment: { DATABASE_URL: database.url, JWT_SECRET_KEY: jwtKey },
    });
    expect(warnings()).toHaveLength(0);
  });

  it('logs an uncaught fault once, with its stack, and ends with 1 and its database', async () => {
    const preload = path.join(os.tmpdir(), `fault-${process.pid}.cjs`);
    await writeFile(preload, `process.on('SIGUSR2', () => Promise.reject(new TypeError('a test makes this fault')));`);
    service = await ServiceProcess.start({ nodeArguments: ['--require', preload] });
    service.child.kill('SIGUSR2');
    service.child.kill('SIGUSR2');
    expect((await service.ended).code).toBe(1);
    const faults = service.log.filter(({ level }) => level === 60);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({
      origin: 'unhandledRejection',
      cause: { type: 'TypeError', message: 'a test makes this fault', stack: expect.stringMatching(/^at .*fault-/) },
    });
    const log = () => readFileSync(path.join(service.dataDirectory, 'postgres.log'), 'utf8');
    for (const deadline = Date.now() + 30_000; !log().includes('is shut down') && Date.now() < deadline;) await sleep(20);
    expect(log()).toContain('database system is shut down');
  });

  it('starts its database again when that dies, and goes on', async () => {
    service = await ServiceProcess.start({ environment: { JWT_SECRET_KEY: jwtKey } });
    const token = await firstToken(service.url);
    const me = async () => {
      const response = await fetch(`${service.url}/api/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
      return { status: response.status, body: await response.text() };
    };
    for (let death = 1; death <= 3; death++) {
      const pidFile = path.join(service.dataDirectory, 'postgres', 'postmaster.pid');
      process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGKILL');
      const diedAt = performance.now();
      const seen: number[] = [];
      for (;;) {
        const { status, body } = await me();
        seen.push(status);
        if (status === 200 && seen.includes(500)) break;
        if (status === 500) expect(JSON.parse(body)).toMatchObject({ code: expect.stringMatching(/^(database|limits)_unavailable$/) });
        if (performance.now() - diedAt > 20_000) throw new Error(`It does not come back: ${seen.slice(-20).join()}`);
        await sleep(10);
      }
      expect(new Set(seen)).toEqual(new Set(seen.includes(200) ? [200, 500] : [500]));
      expect(service.log.filter(({ msg }) => String(msg).includes('PostgreSQL ended'))).toHaveLength(death);
    }
    expect((await service.stop()).code).toBe(0);
  });

  it('serves its metrics on the given address and port', async () => {
    const port = await freePort();
    service = await ServiceProcess.start({ environment: { DATABASE_URL: database.url, METRICS_PORT: String(port) } });
    const url = `http://127.0.0.1:${port}`;
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('process_cpu_seconds_total');
    const ids = await Promise.all(['/metrics', '/'].map(async path => (await fetch(url + path)).headers.get('X-Request-ID')));
    for (const bytes of ['NONSENSE\r\n\r\n', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`]) {
      ids.push((await sendRaw(url, bytes)).responses[0]!.headers['x-request-id'] ?? null);
    }
    expect(ids).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^[\da-f-]{36}$/) as string));
    expect((await service.stop()).code).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  it('says only that its port is taken, also with a database of its own', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    service = await ServiceProcess.spawn({ environment: { PORT: String(port), JWT_SECRET_KEY: jwtKey } });
    expect((await service.ended).code).toBe(1);
    expect(service.stderr).toBe(`端口 ${port} 已被占用，请用 PORT 指定另一个端口 / Port ${port} is taken: set PORT to another one\n`);
    const complaints = service.log.filter(({ level }) => Number(level) > 30);
    // Nest logs the taken port itself, so the log has that one line.
    expect(complaints.map(({ msg }) => msg)).toEqual([expect.stringContaining('EADDRINUSE')]);
    expect(readdirSync(path.join(service.dataDirectory, 'postgres'))).not.toContain('postmaster.pid');
    other.close();
  });

  it('does not start when its metrics port is taken, and names the setting', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    service = await ServiceProcess.spawn({ environment: { DATABASE_URL: database.url, METRICS_PORT: String(port) } });
    expect((await service.ended).code).toBe(1);
    expect(service.stderr).toMatch(/^METRICS_PORT: .*EADDRINUSE/m);
    other.close();
  });
});
