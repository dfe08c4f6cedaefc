import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** The most bytes of a directory for sockets: the path of a Unix socket has at most 107 bytes, and the names of sockets take up to 24. */
const maxSocketDirectoryBytes = 80;
const nobodyListens: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTDIR', 'EINVAL', 'ENAMETOOLONG']);

/** Creates the directory when needed and returns its real path. */
export async function openDataDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  return realpath(directory);
}

/**
 * The private directory for Unix sockets: inside the data directory, or in the system's temporary directory if the path would be too long.
 */
export function socketsOf(dataDirectory: string): string {
  const inside = path.join(dataDirectory, 'run');
  return Buffer.byteLength(inside) <= maxSocketDirectoryBytes
    ? inside
    : path.join(os.tmpdir(), `graph-service-${fingerprint(dataDirectory)}`);
}

/** Creates the directory for sockets, and removes the sockets in it that no process listens on. */
export async function socketDirectory(dataDirectory: string): Promise<string> {
  const directory = socketsOf(dataDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await removeSocketsOfTheDead(directory);
  return directory;
}

/**
 * Removes sockets that processes ended by `kill -9` left behind. Each socket is tested by a connection, because its process may run in
 * another container, whose process ids mean nothing here.
 */
async function removeSocketsOfTheDead(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const socket = path.join(directory, name);
    if (/^retrieval-.*\.sock$/.test(name) && !(await answers(socket))) await rm(socket, { force: true });
  }
}

/** Reads the secret in `file`. Without the file, writes a new secret of 32 random bytes (hex), which only the owner may read. */
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

/** Whether some process listens on the socket, in any container. A socket that cannot be tested counts as listening. */
export function answers(address: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(!nobodyListens.has(code ?? '')));
  });
}
