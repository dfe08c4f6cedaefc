import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** Identifies a process, so that another process can check whether it has ended, or find that the check is impossible. */
export interface ProcessPlace {
  /** The host's name, for people to read. In a container it is the container's name. */
  host: string;
  boot: string;
  /** The namespaces in which `pid` and `started` mean this process. */
  namespace: string;
  pid: number;
  /** The start time of the process. A later process with the same id has another start time. */
  started: string;
}

const isLinux = process.platform === 'linux';

export function ownPlace(): ProcessPlace {
  const { pid } = process;
  return { host: os.hostname(), boot: bootId(), namespace: namespace(), pid, started: startOf(pid) ?? '' };
}

/**
 * True only if the process is known to have ended: its id has the same meaning for this process, and no process has this id and start time.
 */
export function isKnownDead({ boot, namespace: where, pid, started }: ProcessPlace): boolean {
  return boot === bootId() && where === namespace() && startOf(pid) !== started;
}

/**
 * The start time of a process. Null for a process that does not exist, or that has ended and waits for its parent. Except on Linux the
 * start time is not known: ''.
 */
export function startOf(pid: number): string | null {
  if (!isLinux) return isAlive(pid) ? '' : null;
  try {
    // The name of the program, in brackets, may hold any characters. The process's state follows it, and 19 fields later its start time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]/.test(fields[0]!) ? null : fields[19]!;
  } catch {
    return null;
  }
}

/** Whether `/proc` shows this process under its own id. False if `/proc` belongs to another PID namespace. */
export function seesOwnProcesses(): boolean {
  return isLinux && readlinkSync('/proc/self') === String(process.pid);
}

function bootId(): string {
  return isLinux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : os.hostname();
}

/**
 * The namespaces of this process as a text. If `/proc` is missing or belongs to another PID namespace, a random text, which equals no other
 * text.
 */
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
    // Kernels before 5.6 do not have time namespaces.
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
