import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describeWhere } from './shared-data.js';
import { freePort } from './free-port.js';

/** The path of a Redis server on this machine, if there is one. */
export const redisBinary = (process.env.PATH ?? '')
  .split(path.delimiter)
  .map(folder => path.join(folder, 'redis-server'))
  .find(file => existsSync(file));

/** `describe` if Redis is installed. Otherwise a skipped one whose title gives the reason, and in CI one that fails. */
export const describeWithRedis = (title: string, body: () => void): void =>
  describeWhere(redisBinary !== undefined, title, 'no redis-server in PATH; install one', body);

export interface TestRedis {
  url: string;
  port: number;
  pid: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a Redis of this test's own, without persistence, on `port` or on a free one. */
export async function startRedis(port?: number): Promise<TestRedis> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'graph-service-redis-'));
  const listenOn = port ?? (await freePort());
  const options = { port: listenOn, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
  const child = spawn(
    redisBinary!,
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve();
    });
    void exited.then(() => reject(new Error(`redis-server exited: ${output}`)));
  });
  return {
    url: `redis://127.0.0.1:${listenOn}`,
    port: listenOn,
    pid: child.pid!,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
