import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** The path of a Unix socket has at most 107 bytes, and the names of sockets take up to 24. */
const maxSocketDirectoryBytes = 80;

export class DataDirectoryInUseError extends Error {
  constructor(directory: string) {
    super(
      `另一个实例正在使用数据目录 ${directory}，请先停止它，或用 DATA_DIR 指定别的目录 / ` +
        `Another instance is using the data directory ${directory}: stop it first, or set DATA_DIR to another one`,
    );
  }
}

/** Creates the directory when needed and returns its real path. */
export async function openDataDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  return realpath(directory);
}

/**
 * Holds the directory for this process until it ends in any way. On Linux the lock is an abstract socket, which the kernel takes
 * and gives back atomically. Elsewhere it is a socket file; the file of a dead owner no longer answers.
 */
export async function lockDataDirectory(directory: string): Promise<void> {
  const name = `graph-service-${fingerprint(directory)}`;
  const address = process.platform === 'linux' ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`);
  if (process.platform !== 'linux' && !(await answers(address))) await rm(address, { force: true });
  const server = net.createServer(socket => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new DataDirectoryInUseError(directory) : error);
    });
    server.listen(address, resolve);
  });
  server.unref();
}

/** A private directory for Unix sockets: inside the data directory, or in the system's temporary one when that path is too long. */
export async function socketDirectory(dataDirectory: string): Promise<string> {
  const inside = path.join(dataDirectory, 'run');
  const directory =
    Buffer.byteLength(inside) <= maxSocketDirectoryBytes ? inside : path.join(os.tmpdir(), `graph-service-${fingerprint(dataDirectory)}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await removeSocketsOfTheDead(directory);
  return directory;
}

/** Removes sockets that `kill -9` left behind. Sockets are named for their process: `retrieval-<pid>.sock`. */
async function removeSocketsOfTheDead(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = Number(/^retrieval-(\d+)\.sock$/.exec(name)?.[1] ?? NaN);
    if (Number.isInteger(pid) && !isAlive(pid)) await rm(path.join(directory, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads the secret in `file`. Without the file, makes one of 32 random bytes (hex), readable by the owner only. */
export async function keepSecret(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (kept.length === 64) return kept;
  const secret = randomBytes(32).toString('hex');
  await writeFile(`${file}.new`, secret, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secret;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function answers(address: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
