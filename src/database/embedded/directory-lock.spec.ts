import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DataDirectoryInUseError, DirectoryLock, readHolder } from './directory-lock.js';
import { ForeignServerError, takeDirectory } from './former-server.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'directory-lock-'));
const pidFileOf = (directory: string) => path.join(directory, 'postgres', 'postmaster.pid');
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(folder, 'data-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that lives until its input ends, and inherits the descriptor. */
function inheriting({ descriptor }: DirectoryLock): ChildProcess {
  return spawn('sh', ['-c', 'exec cat'], { stdio: ['pipe', 'ignore', 'ignore', descriptor] });
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin!.end();
  await once(child, 'exit');
}

/** Leaves a record of a holder that has ended, and of its server. */
function recordOf(former: DirectoryLock, server: number): void {
  former.noteServer(server);
  former.release();
}

function leavePidFile(pid: number, from = directory): string {
  mkdirSync(path.join(directory, 'postgres'));
  const text = `${pid}\n${from}/postgres\n1\n5432\n${from}/run\n\n`;
  writeFileSync(pidFileOf(directory), text);
  return text;
}

describe('DirectoryLock', () => {
  it('has one holder at a time, by whatever path the other comes', () => {
    const lock = DirectoryLock.take(directory)!;
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    expect([DirectoryLock.take(directory), DirectoryLock.take(link)]).toEqual([null, null]);
    expect(readHolder(link)).toMatchObject({ pid: process.pid, host: os.hostname(), server: null });
    lock.release();
    lock.release();
    DirectoryLock.take(link)!.release();
  });

  it('lasts as long as any program that has inherited it, and no longer', async () => {
    const lock = DirectoryLock.take(directory)!;
    const [first, second] = [inheriting(lock), inheriting(lock)];
    lock.release();
    expect(DirectoryLock.take(directory)).toBeNull();
    await end(first);
    expect(DirectoryLock.take(directory)).toBeNull();
    second.kill('SIGKILL');
    await once(second, 'exit');
    DirectoryLock.take(directory)!.release();
  });

  it('tells the next holder of the last one, and keeps its length', () => {
    const former = DirectoryLock.take(directory)!;
    const { size } = statSync(path.join(directory, 'service.lock'));
    recordOf(former, process.pid);
    const lock = DirectoryLock.take(directory)!;
    expect(lock.former).toMatchObject({ pid: process.pid, server: { pid: process.pid } });
    expect(statSync(path.join(directory, 'service.lock')).size).toBe(size);
    lock.release();
  });

  it('is refused for a directory that cannot be written', () => {
    expect(() => DirectoryLock.take(path.join(directory, 'missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('is refused with what to do where there is no flock', () => {
    const { PATH } = process.env;
    process.env.PATH = directory;
    try {
      expect(() => DirectoryLock.take(directory)).toThrow(
        process.platform === 'linux' ? /请安装 util-linux.*install util-linux, or set DATABASE_URL/ : /./,
      );
    } finally {
      process.env.PATH = PATH;
    }
    DirectoryLock.take(directory)!.release();
  });
});

describe('takeDirectory', () => {
  it('names the holder, and changes nothing', async () => {
    const lock = DirectoryLock.take(directory)!;
    const record = readFileSync(path.join(directory, 'service.lock'), 'utf8');
    const text = leavePidFile(process.pid);
    const refused = takeDirectory(directory);
    await expect(refused).rejects.toThrow(DataDirectoryInUseError);
    await expect(refused).rejects.toThrow(
      new RegExp(`主机 ${os.hostname()} 上的进程 ${process.pid}.*process ${process.pid} on host ${os.hostname()}`),
    );
    expect(readFileSync(path.join(directory, 'service.lock'), 'utf8')).toBe(record);
    expect(readFileSync(pidFileOf(directory), 'utf8')).toBe(text);
    lock.release();
  });

  it('stops the server of a dead holder, and has the directory once that has ended', async () => {
    const lock = DirectoryLock.take(directory)!;
    const server = inheriting(lock);
    const ended = once(server, 'exit');
    lock.noteServer(server.pid!);
    lock.release();
    const file = path.join(directory, 'service.lock');
    const dead = { ...readHolder(directory)!, started: 'long ago' };
    writeFileSync(file, JSON.stringify(dead));
    leavePidFile(server.pid!);
    (await takeDirectory(directory)).release();
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(existsSync(pidFileOf(directory))).toBe(false);
  });

  it('leaves the server of a holder of another container alone', async () => {
    const lock = DirectoryLock.take(directory)!;
    const server = inheriting(lock);
    lock.noteServer(server.pid!);
    lock.release();
    const elsewhere = { ...readHolder(directory)!, started: 'long ago', namespace: 'pid:[1] time:[1]' };
    writeFileSync(path.join(directory, 'service.lock'), JSON.stringify(elsewhere));
    await expect(takeDirectory(directory)).rejects.toThrow(DataDirectoryInUseError);
    expect(server.exitCode ?? server.signalCode).toBeNull();
    await end(server);
  });

  /** A server that answers at its socket. */
  async function answering(place: string): Promise<net.Server> {
    mkdirSync(path.join(place, 'run'), { recursive: true });
    const server = net.createServer().listen(path.join(place, 'run', '.s.PGSQL.5432'));
    await once(server, 'listening');
    return server;
  }

  it('leaves the file of a server that had no lock to PostgreSQL, and that one alone if it answers', async () => {
    recordOf(DirectoryLock.take(directory)!, process.pid);
    leavePidFile(4_194_304);
    (await takeDirectory(directory)).release();
    expect(existsSync(pidFileOf(directory))).toBe(true);
    const server = await answering(directory);
    await expect(takeDirectory(directory)).rejects.toThrow(ForeignServerError);
    expect(existsSync(pidFileOf(directory))).toBe(true);
    server.close();
    // The refused attempt has released the lock.
    DirectoryLock.take(directory)!.release();
  });

  it('removes the file of the last server, also after a holder that came to nothing', async () => {
    recordOf(DirectoryLock.take(directory)!, 4_194_304);
    DirectoryLock.take(directory)!.release();
    leavePidFile(4_194_304);
    (await takeDirectory(directory)).release();
    expect(existsSync(pidFileOf(directory))).toBe(false);
  });

  it('takes a copy of a directory in which a server runs', async () => {
    const original = mkdtempSync(path.join(folder, 'original-'));
    mkdirSync(path.join(original, 'postgres'));
    const server = await answering(original);
    leavePidFile(4_194_304, original);
    (await takeDirectory(directory)).release();
    server.close();
  });
});
