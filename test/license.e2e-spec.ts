import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { client, startTestApp } from './support/app.js';
import { cloneDatabase } from './support/database.js';
import { type Answering, LicenseServer, Licensor } from './support/licensor.js';
import { ServiceProcess } from './support/service-process.js';
import { notesStatements } from './support/statement-check.js';
import { isLong, itLong } from './support/tier.js';
import { freePort } from './support/free-port.js';

const root = path.resolve(__dirname, '..');
const key = 'C0FFEE-5EC2E7-CANARY-V3';
const day = 86_400_000;
const licensor = new Licensor();
const server = new LicenseServer();

let directory: string;
let database: { url: string; drop: () => Promise<void> };

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'licence-'));
  database = await cloneDatabase();
  await server.listen();
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

async function licenceFile({ expiresInDays = 30, secret, by = licensor }: { expiresInDays?: number; secret?: string; by?: Licensor } = {}) {
  const file = path.join(directory, `${Math.random()}.lic`);
  const attributes = { name: '企业版', key, expiry: null };
  const meta = { issued: inDays(-100), expiry: inDays(expiresInDays), ttl: 3600 };
  await writeFile(file, by.file({ secret, payload: { data: { type: 'licenses', attributes }, meta } }));
  return file;
}

/** A licence server's answer that the requested key is valid. */
const valid: Answering = (response, asked) => {
  const body = JSON.stringify({
    data: { type: 'licenses', attributes: { name: '企业版', key: asked.body.meta.key, expiry: null } },
    meta: { ts: inDays(0), valid: true, code: 'VALID', nonce: asked.body.meta.nonce },
  });
  const date = new Date().toUTCString();
  const signed = licensor.signAnswer(body, { target: `post ${asked.path}`, host: '127.0.0.1', date });
  response.writeHead(200, { 'Content-Type': 'application/vnd.api+json', ...signed }).end(body);
};

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    // On a busy machine the socket may be destroyed before it is connected.
    socket.once('close', () => resolve(false));
    setTimeout(() => socket.destroy(), 100);
  });
}

interface Run {
  opened: boolean;
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Starts the built service and watches its port until the process ends. Once the port is open, the process is ended, unless `thenWait` is
 * set.
 */
async function start(environment: Record<string, string>, { thenWait = false } = {}): Promise<Run> {
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...notesStatements, 'dist/src/main.js'], {
    cwd: root,
    env: {
      ...{ PATH, HOME, HOST: '127.0.0.1', PORT: String(port), DATABASE_URL: database.url, DATA_DIR: path.join(directory, 'data') },
      ...{ BCRYPT_COST: '4', LOG_LEVEL: 'debug', LICENSE_CHECK_ENABLED: 'true', LICENSE_PUBLIC_KEY: licensor.publicKeyHex },
      ...environment,
    },
  });
  const run: Run = { opened: false, exitCode: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (run.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (run.stderr += chunk.toString()));
  let ended = false;
  const end = new Promise<void>(resolve =>
    child.once('close', code => {
      run.exitCode = code;
      ended = true;
      resolve();
    }),
  );
  while (!ended && !run.opened) {
    run.opened = await answers(port);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  if (run.opened && !thenWait) child.kill('SIGTERM');
  await end;
  expect(run.stdout + run.stderr).not.toContain(key);
  return run;
}

describe('a service without a proof of its licence', () => {
  const online = () => ({ LICENSE_KEY: key, LICENSE_URL: `http://127.0.0.1:${server.port}/validate-key` });
  it.each<readonly [string, () => Record<string, string>, string]>([
    ['nothing configured', () => ({}), 'nothing_configured'],
    ...(isLong ? [['a page in HTML with status 200 that quotes the key', online, 'answer_not_json'] as const] : []),
  ])('ends with code 78 and one line before its port opens: %s', async (_title, environment, reason) => {
    server.answering = response => response.writeHead(200, { 'Content-Type': 'text/html' }).end(key);
    const { opened, exitCode, stdout, stderr } = await start(environment());
    expect({ opened, exitCode }).toEqual({ opened: false, exitCode: 78 });
    expect(stderr).toMatch(new RegExp(`^许可证未通过：.+ / Licence refused \\[${reason}\\]: .+\\n$`));
    // Even the most detailed log does not repeat the message.
    expect(stdout).not.toMatch(/refused|许可证/);
  });

  itLong('prints only that, also with a database of its own, which is stopped in order', async () => {
    const environment = {
      LICENSE_CHECK_ENABLED: 'true',
      LICENSE_PUBLIC_KEY: licensor.publicKeyHex,
      LICENSE_FILE: await licenceFile({ expiresInDays: -31 }),
      JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7',
    };
    const service = await ServiceProcess.spawn({ environment });
    try {
      expect((await service.ended).code).toBe(78);
      expect(service.stderr).toMatch(/^许可证未通过：.+ \/ Licence refused \[expired\]: .+\n$/);
      expect(service.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
      expect(await readdir(path.join(service.dataDirectory, 'postgres'))).not.toContain('postmaster.pid');
    } finally {
      await service.kill();
    }
  });

  itLong('does not guess what LICENSE_CHECK_ENABLED=TRUE means', async () => {
    const { opened, exitCode, stderr } = await start({ LICENSE_CHECK_ENABLED: 'TRUE' });
    expect(opened).toBe(false);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('LICENSE_CHECK_ENABLED');
  });
});

describe('a service with a proof of its licence', () => {
  itLong('opens its port', async () => {
    const { opened, exitCode } = await start({ LICENSE_FILE: await licenceFile({ secret: key }), LICENSE_KEY: key });
    expect({ opened, exitCode }).toEqual({ opened: true, exitCode: 0 });
  });

  itLong('does not start again with a clock behind its last start', async () => {
    const file = await licenceFile();
    expect(await start({ LICENSE_FILE: file })).toMatchObject({ opened: true, exitCode: 0 });
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      // Moves the stored time forward instead of setting back the clock of the machine.
      const { rowCount } = await client.query("UPDATE licence_clock SET seen_at = seen_at + interval '25 hours'");
      expect(rowCount).toBe(1);
      const { opened, exitCode, stderr } = await start({ LICENSE_FILE: file });
      expect({ opened, exitCode }).toEqual({ opened: false, exitCode: 78 });
      expect(stderr).toMatch(/^许可证未通过：.+ \/ Licence refused \[clock_behind\]: .+\n$/);
    } finally {
      await client.query('DELETE FROM licence_clock');
      await client.end();
    }
  });

  itLong('stops with code 78 when the licence ends while it runs', async () => {
    const secondsLeft = 20;
    const file = await licenceFile({ expiresInDays: -30 + secondsLeft / 86_400 });
    const { opened, exitCode, stderr } = await start({ LICENSE_FILE: file }, { thenWait: true });
    expect({ opened, exitCode }).toEqual({ opened: true, exitCode: 78 });
    expect(stderr).toMatch(/^许可证未通过：.+ \/ Licence refused \[expired\]: .+\n$/);
  });

  itLong('reads the end of a licence alike in every time zone of the machine', async () => {
    const check = path.join(root, 'dist', 'src', 'licensing', 'verification', 'check-licence.js');
    const file = await licenceFile({ expiresInDays: -30 });
    // Checks the file one minute before and one minute after the end of its grace period.
    const script = `
      import { checkLicence } from ${JSON.stringify(check)};
      const settings = ${JSON.stringify({ licenseFile: file, licensePublicKey: licensor.publicKeyHex, dataDirectory: directory })};
      for (const ms of [-60_000, 60_000]) {
        const at = new Date(${Date.now()} + ms);
        await checkLicence(settings, at).then(proof => console.log(proof.status), error => console.log(error.reason));
      }
      console.log(new Date().getTimezoneOffset());`;
    const offsets = new Set<string>();
    for (const TZ of ['Asia/Shanghai', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, TZ },
      });
      const [before, after, offset] = stdout.split('\n');
      expect([before, after]).toEqual(['grace', 'expired']);
      offsets.add(offset!);
    }
    expect(offsets.size).toBe(3);
  });
});

describe('GET /license', () => {
  it('shows the licence to admins only, and never the key', async () => {
    server.answering = valid;
    const app = await startTestApp({
      LICENSE_CHECK_ENABLED: 'true',
      LICENSE_KEY: key,
      LICENSE_URL: `http://127.0.0.1:${server.port}/validate-key`,
      LICENSE_PUBLIC_KEY: licensor.publicKeyHex,
      DATA_DIR: path.join(directory, 'data'),
    });
    try {
      const { body, text } = await app.admin.get('/api/license').expect(200);
      expect(body).toEqual({
        enabled: true,
        mode: 'online',
        status: 'valid',
        name: '企业版',
        licensee: null,
        issued: expect.stringMatching(/Z$/),
        expiry: null,
        holds_until: expect.stringMatching(/Z$/),
        checked_at: expect.stringMatching(/Z$/),
        warnings: [],
      });
      expect(text).not.toContain(key);
      await (await app.asUser('li')).get('/api/license').expect(403);
      await client(app.url, null).get('/api/license').expect(401);
    } finally {
      await app.close();
    }
  });

  it('says so when the check is off', async () => {
    const app = await startTestApp();
    try {
      const { body } = await app.admin.get('/license').expect(200);
      expect(body).toMatchObject({ enabled: false, mode: null, status: 'disabled', warnings: [] });
    } finally {
      await app.close();
    }
  });
});
