import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ServiceProcess } from '../support/service-process.js';

export interface Peaks {
  apiMb: number;
  retrievalMb: number;
  /** The largest single PostgreSQL backend, without the shared buffers. */
  backendMb: number;
  /** The size of the temporary files of the database server. */
  temporaryMb: number;
}

const sampleMs = 100;

/** Watches the processes of a service from outside: their ids and their sizes. */
export class Watch {
  readonly pids: { api: number; retrieval: number; postgres: number };
  private peak: Peaks = { apiMb: 0, retrievalMb: 0, backendMb: 0, temporaryMb: 0 };
  private readonly sampling: NodeJS.Timeout;

  constructor(private readonly service: ServiceProcess) {
    this.pids = this.findPids();
    this.sampling = setInterval(() => this.sample(), sampleMs);
  }

  /** The largest values since the last call. */
  takePeaks(): Peaks {
    this.sample();
    const taken = this.peak;
    this.peak = { apiMb: 0, retrievalMb: 0, backendMb: 0, temporaryMb: 0 };
    return taken;
  }

  /** The current ids; 0 for a process that is not there. */
  findPids(): { api: number; retrieval: number; postgres: number } {
    const api = this.service.child.pid!;
    return {
      api: this.service.isRunning ? api : 0,
      retrieval: childrenOf(api).find(pid => read(`/proc/${pid}/cmdline`).includes('retrieval.main')) ?? 0,
      postgres: Number.parseInt(read(path.join(this.service.dataDirectory, 'postgres', 'postmaster.pid')), 10) || 0,
    };
  }

  stop(): void {
    clearInterval(this.sampling);
  }

  private sample(): void {
    const { api, retrieval, postgres } = this.pids;
    const backends = childrenOf(postgres).map(pid => memoryMb(pid, 'RssAnon'));
    const now: Peaks = {
      apiMb: memoryMb(api, 'VmRSS'),
      retrievalMb: memoryMb(retrieval, 'VmRSS'),
      backendMb: Math.max(0, ...backends),
      temporaryMb: folderMb(path.join(this.service.dataDirectory, 'postgres', 'base', 'pgsql_tmp')),
    };
    for (const name of Object.keys(now) as (keyof Peaks)[]) this.peak[name] = Math.max(this.peak[name], now[name]);
  }
}

/** Log lines that no caller should be able to cause. */
export function faultsIn(service: ServiceProcess): string[] {
  const fatal = service.log.filter(
    ({ level, msg }) => Number(level) >= 60 || /uncaught|unhandled|is gone|started again/i.test(String(msg)),
  );
  return [...fatal.map(line => JSON.stringify(line)), ...service.stderr.split('\n').filter(line => line !== '')];
}

function memoryMb(pid: number, field: string): number {
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

function folderMb(folder: string): number {
  try {
    return Math.round(
      readdirSync(folder).reduce((bytes, file) => bytes + (statSync(path.join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0) /
        1024 /
        1024,
    );
  } catch {
    return 0;
  }
}

const childrenOf = (pid: number) => read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

/** Returns '' for a missing file, because processes and their files come and go. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
