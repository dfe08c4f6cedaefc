import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** A process, named so that another one can tell whether it has ended, or that it cannot tell. */
export interface ProcessPlace {
  /** For people: in a container it is the container's name. */
  host: string;
  boot: string;
  /** The namespaces in which the two numbers below mean this process. */
  namespace: string;
  pid: number;
  /** The start of the process. A later process with the same id has another one. */
  started: string;
}

const isLinux = process.platform === 'linux';

export function ownPlace(): ProcessPlace {
  const { pid } = process;
  return { host: os.hostname(), boot: bootId(), namespace: namespace(), pid, started: startOf(pid) ?? '' };
}

/** True only if the process is known to have ended: its id means the same here, and no process with its start has it. */
export function isKnownDead({ boot, namespace: where, pid, started }: ProcessPlace): boolean {
  return boot === bootId() && where === namespace() && startOf(pid) !== started;
}

/** Null for a process that is not there or has ended and only waits for its parent. Elsewhere than on Linux the start is not known: ''. */
export function startOf(pid: number): string | null {
  if (!isLinux) return isAlive(pid) ? '' : null;
  try {
    // The name of the program, in brackets, may hold anything. The state follows it, and 19 fields later the start.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]/.test(fields[0]!) ? null : fields[19]!;
  } catch {
    return null;
  }
}

/** False where `/proc` numbers processes otherwise than this process sees them. */
export function seesOwnProcesses(): boolean {
  return isLinux && readlinkSync('/proc/self') === String(process.pid);
}

function bootId(): string {
  return isLinux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : os.hostname();
}

/** A namespace that cannot be told equals no other, nor itself: `/proc` is missing, or it is that of other processes than ours. */
function namespace(): string {
  if (!isLinux) return '';
  try {
    return seesOwnProcesses() ? ['pid', 'time'].map(kind => namespaceOf(kind)).join(' ') : randomUUID();
  } catch {
    return randomUUID();
  }
}

function namespaceOf(kind: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch (error) {
    // A kernel before 5.6 has no namespaces of time.
    if (kind === 'time') return '';
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
