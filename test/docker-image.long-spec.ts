import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DockerImage } from './support/docker-image.js';
import { freePort } from './support/free-port.js';

const patienceMs = 120_000;

describe('the image', () => {
  let image: DockerImage;
  beforeAll(() => {
    image = new DockerImage();
  }, 240_000);
  afterAll(() => image.remove());

  let child: ChildProcess | undefined;
  let output = '';

  async function start(): Promise<{ url: string; service: ChildProcess }> {
    const port = await freePort();
    const { command, args, ...options } = image.start({ PORT: String(port) });
    output = '';
    const service = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child = service;
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    return { url: `http://127.0.0.1:${port}`, service };
  }

  afterEach(async () => {
    if (child?.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('starts with nothing set, as a user who owns nothing but /data; is ready, and backs up and restores', async () => {
    const { url, service } = await start();
    const isReady = () => fetch(`${url}/health/ready`).then(({ ok }) => ok, () => false); // prettier-ignore
    for (const deadline = Date.now() + patienceMs; !(await isReady()); await sleep(200)) {
      if (service.exitCode !== null || Date.now() > deadline) throw new Error(`The image is not ready:\n${output}`);
    }
    const archive = image.inside('/data/backup.tar.gz');
    for (const [words, environment] of [
      [['backup', archive], {}],
      [['restore', archive], { DATA_DIR: image.inside('/data/restored') }],
    ] as const) {
      const { command, args, ...options } = image.start(environment, [...words]);
      expect(spawnSync(command, args, { ...options, encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '' });
    }
    if (process.getuid?.() !== 0) process.stderr.write('Not tested without root: that the files belong to another user\n');
    service.kill();
    expect((await once(service, 'exit'))[0]).toBe(0);
  }, 240_000);

  it('says what to run when the libraries are not linked and cannot be', async () => {
    image.unlinkLibraries();
    const { service } = await start();
    expect((await once(service, 'exit'))[0]).toBe(1);
    expect(output).toMatch(/库缺少符号链接.*libraries of the embedded PostgreSQL lack their links.*node scripts\/hydrate-symlinks\.js$/m);
    expect(output.trim().split('\n').at(-1)).not.toContain('DATA_DIR');
  }, 240_000);
});
