import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { graphTables } from '../../src/database/graph-tables.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { firstToken, ServiceProcess } from '../support/service-process.js';

export interface RunRow {
  id: number;
  status: string;
  attempt: number;
  error: { code: string } | null;
}

const patienceMs = 90_000;
const isOpen = `status IN ('queued', 'running')`;

/** Two processes of the service with a database server of their own. The test may kill each of them. */
export class KillWorld {
  private readonly admin: pg.Pool;
  private token = '';
  /** A process that is started in advance and replaces the next one that is killed. */
  private spare: Promise<ServiceProcess>;

  private constructor(
    readonly postgres: OwnPostgres,
    private readonly environment: Record<string, string>,
    private readonly services: ServiceProcess[],
  ) {
    this.admin = new pg.Pool({ connectionString: postgres.url, max: 3 });
    this.admin.on('error', () => undefined);
    this.spare = this.startService();
  }

  private startService(): Promise<ServiceProcess> {
    const started = ServiceProcess.start({ environment: this.environment });
    started.catch(() => undefined);
    return started;
  }

  static async start(more: Record<string, string>): Promise<KillWorld> {
    const postgres = await OwnPostgres.start();
    const environment = {
      DATABASE_URL: postgres.url,
      JWT_SECRET_KEY: 'one key for both processes of this test, long enough',
      SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
      WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...more,
    };
    const first = await ServiceProcess.start({ environment });
    const world = new KillWorld(postgres, environment, [first, await ServiceProcess.start({ environment })]);
    // Unlike in other tests, commits must survive a crash here.
    await world.sql('ALTER DATABASE service SET synchronous_commit = on');
    // After a crash of the server, its autovacuum removes the leftover temporary tables.
    await world.sql('ALTER SYSTEM SET autovacuum_naptime = 1');
    await world.sql('SELECT pg_reload_conf()');
    world.token = await firstToken(first.url);
    return world;
  }

  /** Sends a request to one of the processes. Null if the request or its answer was lost. */
  async send(
    service: 0 | 1,
    method: string,
    route: string,
    body?: object | string,
    more: Record<string, string> = {},
  ): Promise<{ status: number; body: any; retryAfter: string | null } | null> {
    const isText = typeof body === 'string';
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': isText ? 'text/csv' : 'application/json', ...more };
    try {
      const text = isText ? body : JSON.stringify(body);
      const response = await fetch(`${this.services[service]!.url}/api${route}`, { method, headers, ...(text && { body: text }) });
      const bytes = await response.text();
      return { status: response.status, body: bytes === '' ? null : JSON.parse(bytes), retryAfter: response.headers.get('retry-after') };
    } catch {
      return null;
    }
  }

  /** Sends a request until it succeeds. Nothing is killed meanwhile, but killed processes may still be starting. */
  async must(method: string, route: string, body?: object | string): Promise<any> {
    for (let last, deadline = Date.now() + patienceMs; ; await sleep(200)) {
      last = await this.send(0, method, route, body);
      if (last && last.status < 300) return last.body;
      const isAway = last === null || last.status >= 500 || last.body?.code === 'run_active';
      if (!isAway || Date.now() > deadline) throw new Error(`${method} ${route}: ${JSON.stringify(last)}`);
    }
  }

  /** Runs SQL as the superuser. It is repeated while the server restarts. */
  async sql<R extends object = any>(text: string, values: unknown[] = []): Promise<R[]> {
    for (const deadline = Date.now() + patienceMs; ; await sleep(50)) {
      try {
        return (await this.admin.query<R & pg.QueryResultRow>(text, values)).rows;
      } catch (error) {
        const isAway = /^(08|57|ECONN|ENOENT|EPIPE)/.test((error as { code?: string }).code ?? '') || /terminat|timeout/i.test((error as Error).message); // prettier-ignore
        if (!isAway || Date.now() > deadline) throw error;
      }
    }
  }

  async killService(which: 0 | 1): Promise<void> {
    await this.services[which]!.kill();
  }

  /** Replaces the killed processes of the service. */
  async restore(): Promise<void> {
    for (const which of [0, 1] as const) {
      if (this.services[which]!.isRunning) continue;
      this.services[which] = await this.spare.catch(() => this.startService());
      this.spare = this.startService();
    }
  }

  /**
   * Kills a random session that is running a statement or has an open transaction. PostgreSQL then ends all sessions. False if there was no
   * such session.
   */
  async killBackend(): Promise<boolean> {
    const rows = await this.sql<{ pid: number }>(
      `SELECT a.pid FROM pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
         AND (a.state = 'active' OR a.state LIKE 'idle in%') AND a.backend_type = 'client backend' ORDER BY random() LIMIT 1`,
    );
    if (rows.length === 0) return false;
    process.kill(rows[0]!.pid, 'SIGKILL');
    return true;
  }

  /** Ends all leases at once, as if the lease of every dead worker had run out. */
  async expireLeases(): Promise<void> {
    await this.sql(`UPDATE ingestion_runs SET lease_until = now() WHERE status = 'running'`);
  }

  async latestRun(jobId: number): Promise<RunRow | null> {
    return (await this.sql<RunRow>('SELECT id, status, attempt, error FROM ingestion_runs WHERE job_id = $1 ORDER BY id DESC LIMIT 1', [jobId]))[0] ?? null; // prettier-ignore
  }

  async untilEnded(jobId: number): Promise<RunRow | null> {
    for (const deadline = Date.now() + patienceMs; ; await sleep(40)) {
      const run = await this.latestRun(jobId);
      if (!run || !['queued', 'running'].includes(run.status)) return run;
      if (Date.now() > deadline) throw new Error(`The run ${run.id} stays open: ${JSON.stringify(run)}`);
    }
  }

  /** The nodes and edges with their values, one line for each. */
  async contentOf(graphId: number): Promise<string[]> {
    const { nodes, edges } = graphTables(graphId);
    const rows = await this.sql<{ line: string }>(linesOf(nodes, edges));
    return rows.map(({ line }) => line).sort();
  }

  /** A digest of `contentOf`. */
  async digestOf(graphId: number): Promise<string> {
    const { nodes, edges } = graphTables(graphId);
    const [row] = await this.sql<{ digest: string }>(
      `SELECT md5(coalesce(string_agg(line, E'\n' ORDER BY line COLLATE "C"), '')) AS digest FROM (${linesOf(nodes, edges)}) l`,
    );
    return row!.digest;
  }

  /** Names of leftovers of runs; empty if there are none. Call this method when no run is under way. */
  async leftovers(): Promise<string[]> {
    const temporary = await this.sql<{ name: string }>(`SELECT 'table ' || relname AS name FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'`); // prettier-ignore
    const sessions = await this.sql<{ name: string }>(
      `SELECT 'session ' || state || ' ' || left(query, 80) AS name FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`,
    );
    const open = await this.sql<{ name: string }>(`SELECT 'run ' || id AS name FROM ingestion_runs WHERE ${isOpen}`);
    const files = await this.sql<{ name: string }>(
      `SELECT 'file ' || f AS name FROM (SELECT pg_ls_dir('base/pgsql_tmp', true, false) AS f) t`,
    );
    const orphans = duckdbProcesses().filter(({ parent }) => parent === 1).map(({ pid }) => ({ name: `process ${pid}` })); // prettier-ignore
    return [...temporary, ...sessions, ...open, ...files, ...orphans].map(({ name }) => name);
  }

  /** The last two lines about runs from the log of each process. The log level is `warn`. */
  warnings(): string[] {
    return this.services.flatMap(({ log }) => log.filter(({ msg }) => /run/.test(String(msg))).slice(-2).map(line => JSON.stringify(line))); // prettier-ignore
  }

  /** Kills the DuckDB processes that read files for the services of this test. */
  killReaders(): void {
    const own = this.services.map(({ child }) => child.pid);
    for (const { pid, parent } of duckdbProcesses()) if (own.includes(parent)) process.kill(pid, 'SIGKILL');
  }

  async remove(): Promise<void> {
    for (const service of this.services) await service.kill();
    await this.spare.then(service => service.kill()).catch(() => undefined);
    await this.admin.end();
    await this.postgres.remove();
  }
}

function linesOf(nodes: string, edges: string): string {
  return `SELECT concat_ws(' ', label, key, properties->>'name', properties->>'n') AS line FROM ${nodes}
    UNION ALL
    SELECT concat_ws(' ', e.type, a.key, b.key, e.key, e.properties->>'w') FROM ${edges} e
      LEFT JOIN ${nodes} a ON a.id = e.source_id LEFT JOIN ${nodes} b ON b.id = e.target_id`;
}

function duckdbProcesses(): { pid: number; parent: number }[] {
  const list = execFileSync('ls', ['/proc']).toString().split('\n').filter(name => /^\d+$/.test(name)); // prettier-ignore
  return list.flatMap(pid => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('duckdb/process/main.js')) return [];
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
      return [{ pid: Number(pid), parent }];
    } catch {
      return [];
    }
  });
}
