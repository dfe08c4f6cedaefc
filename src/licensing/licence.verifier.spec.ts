import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { cloneDatabase } from '../../test/support/database.js';
import { LicenseServer, Licensor } from '../../test/support/licensor.js';
import { readSettings } from '../config/settings.js';
import { DatabaseLink } from '../database/database-link.js';
import { ServicePool } from '../database/service-pool.js';
import { LicenceClockRepository } from './licence-clock.repository.js';
import { LicenceVerifier } from './licence.verifier.js';
import { toLicenseResponse } from './licensing.dto.js';

const key = 'C0FFEE-5EC2E7-CANARY-V3';
const day = 86_400_000;
const licensor = new Licensor();

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let link: DatabaseLink;
let pool: ServicePool;
let directory: string;
let file: string;
let lines: { level: number; msg: string }[];

beforeAll(async () => {
  database = await cloneDatabase();
  link = new DatabaseLink({ url: database.url, log: pino({ level: 'silent' }) });
  pool = new ServicePool(link, { size: 2, answerMaxBytes: 1_000_000 });
});
afterAll(async () => {
  await pool.onApplicationShutdown();
  link.onApplicationShutdown();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('DELETE FROM licence_clock');
  directory = await mkdtemp(path.join(os.tmpdir(), 'licence-'));
  file = path.join(directory, 'license.lic');
  lines = [];
});
afterEach(async () => {
  jest.useRealTimers();
  await rm(directory, { recursive: true });
});

const inDays = (days: number) => new Date(Date.now() + days * day);

function writeLicence(expiresInDays: number, suspended = false): Promise<void> {
  const meta = { issued: inDays(-100), expiry: inDays(expiresInDays), ttl: 3600 };
  return writeFile(file, licensor.file({ payload: { data: { type: 'licenses', attributes: { name: '企业版', suspended } }, meta } }));
}

function aVerifier(environment: Record<string, string> = { LICENSE_FILE: file }): LicenceVerifier {
  const log = pino({ base: null }, { write: line => lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const common = { LICENSE_CHECK_ENABLED: 'true', LICENSE_PUBLIC_KEY: licensor.publicKeyHex, DATA_DIR: directory };
  return new LicenceVerifier(readSettings({ ...common, ...environment }), new LicenceClockRepository(pool), log);
}

/** The reason of the refusal if `lapsed` has resolved by now; otherwise false. */
const hasLapsed = (verifier: LicenceVerifier) =>
  Promise.race([verifier.lapsed.then(refusal => refusal.reason), new Promise(resolve => setImmediate(() => resolve(false)))]);

describe('LICENSE_CHECK_ENABLED', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['', false],
  ])('"%s" means %s', (value, expected) => {
    const environment = { LICENSE_FILE: __filename, LICENSE_PUBLIC_KEY: licensor.publicKeyHex };
    expect(readSettings({ LICENSE_CHECK_ENABLED: value, ...environment }).licenseCheckEnabled).toBe(expected);
  });

  it.each(['TRUE', 'True', '1', '0', 'yes', 'no', 'on', 'False', 'enabled', 't', 'true;', '"true"'])(
    '"%s" is a problem of the settings',
    value => {
      expect(() => readSettings({ LICENSE_CHECK_ENABLED: value })).toThrow(/LICENSE_CHECK_ENABLED.*true 或 false/);
    },
  );
});

describe('the licence gate', () => {
  it('is open and says so when the check is off', async () => {
    const verifier = aVerifier({ LICENSE_CHECK_ENABLED: 'false', LICENSE_FILE: file });
    await verifier.onApplicationBootstrap();
    expect(toLicenseResponse(verifier.state())).toMatchObject({ enabled: false, mode: null, status: 'disabled', checked_at: null });
  });

  it('refuses the start without a proof', async () => {
    await writeLicence(10);
    const verifier = aVerifier();
    await rm(file);
    await expect(verifier.onApplicationBootstrap()).rejects.toMatchObject({ reason: 'file_missing', exitCode: 78 });
    await writeFile(file, '');
    await expect(aVerifier().onApplicationBootstrap()).rejects.toMatchObject({ reason: 'file_empty', exitCode: 78 });
  });

  it('shows the proof it started on', async () => {
    await writeLicence(10);
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    const shown = toLicenseResponse(verifier.state());
    expect(shown).toMatchObject({ enabled: true, mode: 'offline', status: 'valid', name: '企业版', licensee: null, warnings: [] });
    expect(Date.parse(shown.expiry!) - Date.parse(shown.issued!)).toBeCloseTo(110 * day, -2);
    expect(Date.parse(shown.holds_until!) - Date.parse(shown.expiry!)).toBe(30 * day);
    expect(lines).toEqual([]);
  });

  it('logs the warning of a licence in its grace', async () => {
    await writeLicence(-1);
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    expect(toLicenseResponse(verifier.state()).status).toBe('grace');
    expect(lines).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining('The licence expired') as string })]);
  });
});

describe('the licence of a running service', () => {
  async function running(expiresInDays = 10): Promise<LicenceVerifier> {
    await writeLicence(expiresInDays);
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    return verifier;
  }

  it('is not looked at again on the same day', async () => {
    const verifier = await running();
    await rm(file);
    await verifier.look(inDays(0.9));
    expect(verifier.state().refusal).toBeNull();
  });

  it('is read from the file again after a day', async () => {
    const verifier = await running();
    await writeLicence(400);
    await verifier.look(inDays(1));
    expect(verifier.state().proof!.expiry!.getTime()).toBeGreaterThan(inDays(399).getTime());
  });

  it('lasts until its own end when a check brings no new proof, with an error in the log', async () => {
    const verifier = await running();
    await rm(file);
    await verifier.look(inDays(1));
    await verifier.look(inDays(39.9));
    expect(await hasLapsed(verifier)).toBe(false);
    expect(lines.map(line => line.level)).toEqual([50, 50]);
    expect(toLicenseResponse(verifier.state())).toMatchObject({
      status: 'grace',
      warnings: [expect.stringContaining('[file_missing]') as string],
    });
    await verifier.look(inDays(40));
    expect(await hasLapsed(verifier)).toBe('file_missing');
  });

  it('is good again with the next proof', async () => {
    const verifier = await running();
    await rm(file);
    await verifier.look(inDays(1));
    await writeLicence(10);
    await verifier.look(inDays(1.1));
    expect(toLicenseResponse(verifier.state())).toMatchObject({ status: 'valid', warnings: [] });
  });

  it('ends with the grace of an expired file', async () => {
    const verifier = await running(-29);
    await verifier.look(inDays(0.5));
    expect(await hasLapsed(verifier)).toBe(false);
    await verifier.look(inDays(1));
    expect(await hasLapsed(verifier)).toBe('expired');
  });

  it('ends at once with a signed refusal', async () => {
    const verifier = await running();
    await writeLicence(10, true);
    await verifier.look(inDays(1));
    expect(await hasLapsed(verifier)).toBe('suspended');
  });

  it('is checked by a timer, just when it ends', async () => {
    await writeLicence(-30 + 20 / 1440);
    jest.useFakeTimers({
      now: Date.now(),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setInterval', 'hrtime'],
    });
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    jest.advanceTimersByTime(21 * 60_000);
    expect((await verifier.lapsed).reason).toBe('expired');
    verifier.onApplicationShutdown();
  });

  it('ends at once when the licence server says no, and survives its silence for 7 days', async () => {
    const { server, answer, start } = await anOnlineLicence();
    const refused = await start();
    answer(false, inDays(1));
    await refused.look(inDays(1));
    expect(await hasLapsed(refused)).toBe('not_valid');

    const silent = await start();
    server.answering = response => response.writeHead(503).end();
    await silent.look(inDays(6.9));
    expect(await hasLapsed(silent)).toBe(false);
    await silent.look(inDays(7));
    expect(await hasLapsed(silent)).toBe('server_status');
    await server.close();
    expect(JSON.stringify(lines)).not.toContain(key);
  });
});

/** Makes a licence server whose answers the test sets, and a service that has started on an approval of this server. */
async function anOnlineLicence() {
  const server = new LicenseServer();
  await server.listen();
  const answer = (valid: boolean, at: Date): void => {
    server.answering = (response, asked) => {
      const body = JSON.stringify({
        data: { type: 'licenses', attributes: { key } },
        meta: { ts: at, valid, code: valid ? 'VALID' : 'SUSPENDED', nonce: asked.body.meta.nonce },
      });
      const signed = licensor.signAnswer(body, { target: `post ${asked.path}`, host: '127.0.0.1', date: at.toUTCString() });
      response.writeHead(200, { 'Content-Type': 'application/json', ...signed }).end(body);
    };
  };
  const environment = { LICENSE_KEY: key, LICENSE_URL: `http://127.0.0.1:${server.port}/validate-key` };
  const start = async (): Promise<LicenceVerifier> => {
    answer(true, new Date());
    const verifier = aVerifier(environment);
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    return verifier;
  };
  return { server, answer, start };
}

describe('a clock that is set back', () => {
  const setClock = (days: number) => jest.useFakeTimers({ now: inDays(days), doNotFake: [...realTimers] });
  /** These functions stay real. The tests fake only the system clock and the monotonic clock. */
  const realTimers = [
    'nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'hrtime',
  ] as const; // prettier-ignore
  const keptTime = async () => (await pool.query<{ seen_at: Date }>('SELECT seen_at FROM licence_clock')).rows[0]?.seen_at;

  it('does not bring back an expired file: the database remembers', async () => {
    await writeLicence(20);
    setClock(60);
    await expect(aVerifier().onApplicationBootstrap()).rejects.toMatchObject({ reason: 'expired' });
    jest.useRealTimers();

    setClock(45);
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    expect((await keptTime())!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    jest.useRealTimers();
    await expect(aVerifier().onApplicationBootstrap()).rejects.toMatchObject({
      reason: 'clock_behind',
      message: expect.stringMatching(/ \/ Licence refused \[clock_behind\]: .*set the system clock right/) as string,
    });
  });

  it('is refused when the clock of the database says so, on the first start too', async () => {
    await writeLicence(20);
    setClock(-3);
    await expect(aVerifier().onApplicationBootstrap()).rejects.toMatchObject({ reason: 'clock_behind' });
    expect(await keptTime()).toBeUndefined();
  });

  it('does not help when it is only a little: the licence is judged by the latest time', async () => {
    await writeLicence(0.2);
    await pool.query("INSERT INTO licence_clock (seen_at) VALUES (now() + interval '8 hours')");
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    expect(verifier.state().proof!.status).toBe('grace');
    expect((await keptTime())!.getTime()).toBeGreaterThan(inDays(0.3).getTime());
  });

  it('is accepted again on the word of the licence server, whatever was seen before', async () => {
    await pool.query("INSERT INTO licence_clock (seen_at) VALUES (now() + interval '8 years')");
    const { server, start } = await anOnlineLicence();
    const verifier = await start();
    expect(verifier.state().proof!.status).toBe('valid');
    expect((await keptTime())!.getTime()).toBeLessThan(inDays(0.1).getTime());
    await server.close();
  });

  it('does not keep a running service from asking again after a day', async () => {
    const { server, start } = await anOnlineLicence();
    const verifier = await start();
    expect(server.asked).toHaveLength(1);
    await verifier.look(inDays(-400));
    expect(server.asked).toHaveLength(1);

    setClock(0);
    const later = await start();
    jest.setSystemTime(inDays(-400));
    jest.advanceTimersByTime(day + 1000);
    await later.look(new Date());
    expect(server.asked).toHaveLength(3);
    expect(later.state().refusal).toMatchObject({ reason: 'answer_not_fresh' });
    expect(await hasLapsed(later)).toBe(false);
    jest.advanceTimersByTime(6 * day);
    await later.look(new Date());
    expect(await hasLapsed(later)).toBe('answer_not_fresh');
    await server.close();
  });

  it('does not prolong the file of a running service', async () => {
    setClock(0);
    await writeLicence(10);
    const verifier = aVerifier();
    await verifier.onApplicationBootstrap();
    verifier.onApplicationShutdown();
    jest.setSystemTime(inDays(-90));
    jest.advanceTimersByTime(39.9 * day);
    await verifier.look(new Date());
    expect(await hasLapsed(verifier)).toBe(false);
    expect(verifier.state().refusal).toMatchObject({ reason: 'clock_behind' });
    jest.advanceTimersByTime(0.2 * day);
    await verifier.look(new Date());
    expect(await hasLapsed(verifier)).toBe('clock_behind');
  });
});
