import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './support/cut-requests.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

describe('stopping with the embedded database', () => {
  let directory: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'graceful-stop-'));
  });
  beforeEach(async () => {
    service = await ServiceProcess.start({ environment: { SHUTDOWN_SECONDS: '20', DATA_DIR: directory } });
  });
  afterEach(() => service.kill());
  afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

  const databaseLog = () => readFileSync(path.join(directory, 'postgres.log'), 'utf8');
  const isDatabaseGone = () => !readdirSync(path.join(directory, 'postgres')).includes('postmaster.pid');

  it('stops the database last, in order, also when one Ctrl-C arrives twice', async () => {
    service.child.kill('SIGINT');
    await sleep(50);
    const { code } = await service.stop('SIGINT');
    expect(code).toBe(0);
    expect(isDatabaseGone()).toBe(true);
    expect(databaseLog()).toContain('database system is shut down');
    const messages = service.log.map(({ msg }) => msg);
    expect(messages.filter(message => message === 'Stopping')).toHaveLength(1);
  });

  it('ends at once when a second signal comes', async () => {
    const token = await firstToken(service.url);
    const endless = ask(service.url, token, {
      method: 'PUT', path: '/warehouse/connections/1/tables/endless', headers: { 'Content-Type': 'text/csv' },
      chunks: Array.from({ length: 300 }, () => 'id\n'), everyMs: 100,
    }).catch(() => 'cut'); // prettier-ignore
    await sleep(300);
    service.child.kill('SIGTERM');
    await sleep(1_200);
    const { code, ms } = await service.stop('SIGTERM');
    expect(code).toBe(1);
    expect(ms).toBeLessThan(15_000);
    expect(await endless).toBe('cut');
    for (const deadline = Date.now() + 30_000; !isDatabaseGone() && Date.now() < deadline;) await sleep(20);
    expect(isDatabaseGone()).toBe(true);
  });
});
