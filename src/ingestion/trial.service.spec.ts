import { type PoolClient } from 'pg';
import { readSettings } from '../config/settings.js';
import { type DiskReserve } from '../database/disk-reserve.js';
import { StorageRoom } from '../database/storage-room.js';
import { type GraphsService } from '../graphs/graphs.service.js';
import { type ServicePool } from '../database/service-pool.js';
import { type JobRow, type JobsRepository } from './jobs.repository.js';
import { parseMapping } from './mapping/parse-mapping.js';
import { type Source } from './run/carry-out.js';
import { type RunsRepository } from './runs.repository.js';
import { TrialService } from './trial.service.js';

const node = { id: 'n', label: 'A', table: 't', key: ['id'], columns: [{ column: 'id' }] };
const { mapping } = parseMapping(JSON.stringify({ version: 1, nodes: [node] }));
const source = { connection: 'c', copies: null, versions: null } as unknown as Source;
const job = { id: 1, graph_id: 1, cursors: {} } as unknown as JobRow;

/** A disk with room. */
const disk = { require: () => Promise.resolve(), guard: (_: unknown, work: () => unknown) => work() } as unknown as DiskReserve;

/** A session whose first statement runs until it is cancelled. */
function aSession() {
  const release = jest.fn();
  let cancel = (): void => undefined;
  const client = {
    release,
    query: (sql: string) =>
      sql.startsWith('BEGIN')
        ? new Promise((_, reject) => (cancel = () => reject(new Error('cancelled'))))
        : Promise.resolve({ rows: [{ pid: 7 }] }),
  };
  const pool = { connect: () => Promise.resolve(client as unknown as PoolClient), cancel: () => Promise.resolve(cancel()) };
  return { pool: pool as unknown as ServicePool, release };
}

describe('a dry run', () => {
  afterEach(() => jest.useRealTimers());

  it('ends after a minute, and its session is not used again: a late cancellation would meet the next user', async () => {
    jest.useFakeTimers();
    const { pool, release } = aSession();
    const jobs = { findRereads: () => Promise.resolve(new Set()) } as unknown as JobsRepository;
    const runs = { findAppliedRevision: () => Promise.resolve(null) } as unknown as RunsRepository;
    const graphs = { roomFor: () => Promise.resolve(new StorageRoom([])) } as unknown as GraphsService;
    const trial = new TrialService(pool, jobs, runs, graphs, readSettings({}), disk).run(1, job, mapping, source, () =>
      Promise.resolve(source),
    );
    await jest.advanceTimersByTimeAsync(61_000);
    expect((await trial).outcome).toBe('unfinished');
    expect(release).toHaveBeenCalledWith(true);
  });
});
