import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inContainer } from './container.js';

const script = path.join(__dirname, 'contender.mjs');

/** `here` runs in the namespaces of the test. `container` has its own namespaces, and another path to the directory. */
export type Side = 'here' | 'container';

/** Starts `contender.mjs`: a process that tries to get the directory, and inserts rows once it has it. */
export class Contender {
  private readonly child: ChildProcess;
  private stderr = '';
  private nextRow: () => void = () => undefined;
  /** Resolves with `ready` once the process has the directory, or with `refused` if another process has it. */
  readonly settled: Promise<'ready' | 'refused'>;
  private readonly closed: Promise<unknown>;

  /** @param written receives each row whose commit was acknowledged */
  constructor(
    readonly side: Side,
    place: { directory: string; mount: string },
    name: string,
    written: Set<string>,
  ) {
    const command = [process.execPath, script, side === 'here' ? place.directory : place.mount, name];
    const [file, ...args] = side === 'here' ? command : inContainer(place.directory, place.mount, command);
    this.child = spawn(file!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()));
    this.closed = once(this.child, 'close');
    this.settled = new Promise((resolve, reject) => {
      this.child.once('exit', code => {
        if (code === 3) resolve('refused');
        else reject(new Error(`It ended with ${code}: ${this.stderr}`));
      });
      createInterface(this.child.stdout!).on('line', line => {
        if (line === 'ready') return resolve('ready');
        written.add(line.slice('written '.length));
        this.nextRow();
      });
    });
    this.settled.catch(() => undefined);
  }

  /** The text of stderr, which has the reason of a refusal. */
  get reason(): string {
    return this.stderr;
  }

  /** Resolves when the process reports the next row. */
  async writes(): Promise<void> {
    await new Promise<void>(resolve => (this.nextRow = resolve));
  }

  /** The id of the `contender.mjs` process, in the namespace of the test. */
  get pid(): number {
    return this.side === 'here' ? this.child.pid! : childrenOf(this.init)[0]!;
  }

  /** The ids of the postmaster and its child processes, in the namespace of the test. */
  get server(): number[] {
    const postmaster = childrenOf(this.pid).find(pid => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n')!;
    return [postmaster, ...childrenOf(postmaster)];
  }

  /** Kills the process, or its whole container, even if it is stopped by SIGSTOP, and waits until it has ended. */
  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) signal(this.side === 'here' ? this.pid : this.init, 'SIGKILL');
    await this.closed;
  }

  /** The first process of the container. */
  private get init(): number {
    return childrenOf(this.child.pid!)[0]!;
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process may have ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
