import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { socketDirectory } from './data-directory.js';

describe('socketDirectory', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'sockets-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('clears sockets that nobody listens on, and keeps the others, whatever process and container listens', async () => {
    mkdirSync(path.join(directory, 'run'));
    const [live, left] = ['retrieval-4194304.sock', 'retrieval-1.sock'].map(name => path.join(directory, 'run', name)) as [string, string];
    const server = net.createServer().listen(live);
    await once(server, 'listening');
    writeFileSync(left, '');
    await socketDirectory(directory);
    expect([existsSync(live), existsSync(left)]).toEqual([true, false]);
    server.close();
  });
});
