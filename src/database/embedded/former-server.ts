import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, socketsOf } from './data-directory.js';
import { DataDirectoryInUseError, DirectoryLock, type Holder, readHolder } from './directory-lock.js';
import { isKnownDead, seesOwnProcesses, startOf } from './process-place.js';

const stopTimeoutMs = 30_000;

/**
 * Another PostgreSQL server works in the directory: it does not hold the directory's lock, or holds it for a dead service and does not
 * stop.
 */
export class ForeignServerError extends Error {
  constructor(directory: string, pid: number | undefined) {
    const [zh, en] = pid === undefined ? ['', ''] : [`（进程 ${pid}）`, ` (process ${pid})`];
    super(
      `数据目录 ${directory} 中仍有一个 PostgreSQL${zh}在运行，但没有本版本的实例在运行；请先停止它（SIGINT），或停止启动它的旧版本服务 / ` +
        `A PostgreSQL server${en} still runs in the data directory ${directory}, though no instance of this release does: ` +
        'stop it first (SIGINT), or the service of an earlier release that started it',
    );
  }
}

/**
 * Takes the directory for this process. A server that has outlived its service, for example after `kill -9`, is stopped first. Any other
 * holder keeps the directory, and nothing changes.
 * @throws DataDirectoryInUseError, ForeignServerError, DirectoryNotLockableError
 */
export async function takeDirectory(directory: string): Promise<DirectoryLock> {
  for (const startedAt = performance.now(); ; await sleep(50)) {
    const lock = DirectoryLock.take(directory);
    if (lock) {
      try {
        await clearFormerServer(directory, lock);
        return lock;
      } catch (error) {
        lock.release();
        throw error;
      }
    }
    const holder = readHolder(directory);
    if (!holder || !isKnownDead(holder)) throw new DataDirectoryInUseError(directory, holder);
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > 2 * stopTimeoutMs) throw new ForeignServerError(directory, holder.server?.pid);
    stopServerOf(holder, directory, waitedMs > stopTimeoutMs);
  }
}

/**
 * Signals the server of a dead holder to stop: by a fast shutdown, or at once if `atOnce`. If the server itself is gone, its remaining
 * processes are ended at once.
 */
function stopServerOf(holder: Holder, directory: string, atOnce: boolean): void {
  const { server } = holder;
  const runs = server !== null && startOf(server.pid) === server.started;
  const pids = runs ? [server.pid] : processesOf(path.join(directory, 'postgres'));
  // A new holder writes its record before it starts a server. While the record is still the old one, the listed processes belong to the old
  // server.
  if (JSON.stringify(readHolder(directory)) !== JSON.stringify(holder)) return;
  for (const pid of pids) signal(pid, runs && !atOnce ? 'SIGINT' : 'SIGQUIT');
}

/**
 * Removes the `postmaster.pid` of the former holder's server. That server is dead wherever it ran, because it inherited the lock, and the
 * lock was free. A file of another server, such as the server of an older release without this lock, is left to PostgreSQL's own check.
 * @throws ForeignServerError if a server without the lock answers
 */
async function clearFormerServer(directory: string, { former }: DirectoryLock): Promise<void> {
  const cluster = path.join(directory, 'postgres');
  const pidFile = path.join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const [pid, written = '', , port, sockets = ''] = readFileSync(pidFile, 'utf8').split('\n');
  // If the directory is a copy of one in use, or was used in another container, the paths in the file do not belong to this directory.
  const folders = isSame(written, cluster) ? [sockets, socketsOf(directory)] : [socketsOf(directory)];
  for (const folder of folders) {
    if (folder !== '' && (await answers(path.join(folder, `.s.PGSQL.${port}`)))) throw new ForeignServerError(directory, Number(pid));
  }
  await endOrphans(cluster);
  if (former?.server?.pid === Number(pid)) await rm(pidFile, { force: true });
}

/**
 * Ends the processes that have outlived their postmaster. Each of them would keep a new postmaster from starting until its statement has
 * ended.
 */
export async function endOrphans(cluster: string): Promise<void> {
  for (const deadline = Date.now() + stopTimeoutMs; Date.now() < deadline; await sleep(20)) {
    const orphans = processesOf(cluster);
    if (orphans.length === 0) return;
    for (const pid of orphans) signal(pid, 'SIGQUIT');
  }
}

/**
 * The ids of PostgreSQL processes whose working directory is the cluster, by any path. Empty on systems other than Linux, which do not show
 * it.
 */
function processesOf(cluster: string): number[] {
  const pids = seesOwnProcesses() ? readdirSync('/proc').map(Number) : [];
  return pids.filter(pid => worksIn(cluster, pid));
}

/** Whether a process is a PostgreSQL process of this cluster. Does not list all processes. False on systems other than Linux. */
export function isServerOf(cluster: string, pid: number): boolean {
  return seesOwnProcesses() && worksIn(cluster, pid);
}

function worksIn(cluster: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n' && isSame(`/proc/${pid}/cwd`, cluster);
  } catch {
    // The process has ended since it was listed.
    return false;
  }
}

/** Whether both paths lead to the same directory. False if a path does not exist, or if this user may not look at it. */
function isSame(one: string, other: string): boolean {
  try {
    const [first, second] = [statSync(one), statSync(other)];
    return first.dev === second.dev && first.ino === second.ino;
  } catch {
    return false;
  }
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended since it was listed.
  }
}
