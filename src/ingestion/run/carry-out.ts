import { type PoolClient } from 'pg';
import { RunFailure } from '../../common/errors/run-failure.js';
import { inTurns } from '../../common/turns/pace.js';
import { inLockOrder, quoteIdentifier, quoteTable } from '../../sql/quote-identifier.js';
import { sqlstateOf, sqlstates } from '../../sql/sqlstate.js';
import { type Mapping } from '../mapping/mapping.js';
import { compileStaging } from '../staging/compile-staging.js';
import { letShowCounts } from '../staging/shown-count.js';
import { type KeyProperties } from '../staging/key-sql.js';
import { type SourceSql } from '../staging/source-sql.js';
import { type SourceShape, type Target } from '../staging/target.js';
import { type TargetChange } from './compare-mappings.js';
import { type CopyLimits } from '../../warehouse/clients/copy-limits.js';
import { measureTables } from '../../database/graph-tables.js';
import { type StorageRoom } from '../../database/storage-room.js';
import { readOn } from '../../warehouse/clients/postgres/postgres-catalog.js';
import { dataVersions } from '../../warehouse/mirror/mirror-versions.js';
import { rejectMissingReferences } from './check-references.js';
import { type Copies, copySource, pathOfCopies } from './copy-source.js';
import { type CursorFrom } from './cursor-bound.js';
import { loadApart } from './load-apart.js';
import { hasSameKeys, readKeys } from './read-keys.js';
import { stubEnds } from './stub-ends.js';
import { elementOf, readOwnership } from './ownership.js';
import { type ExpectedRows } from './progress-report.js';
import { releaseDropped, releaseTypes } from './release-dropped.js';
import { DeleteGuard } from './removal.js';
import { requireFewErrors } from './require-few-errors.js';
import { type RunProgress } from './run-progress.js';
import { addTotals, type RunReport, type SourceReport } from './run-report.js';
import { snapshotWarning } from './run-warnings.js';
import { type StagedTarget, stageTarget } from './stage-target.js';
import { writeEdges } from './write-edges.js';
import { type WrittenTarget } from './write-elements.js';
import { makeStubs, removeLooseStubs, writeNodes } from './write-nodes.js';
import { type WriteScope } from './write-scope.js';

/** The work of carrying out a mapping, for a run or for a trial. */
export interface Undertaking {
  graphId: number;
  jobId: number;
  mapping: Mapping;
  /** The targets of the mapping; empty when the run retires its job. */
  targets: Target[];
  /** The differences from the mapping of the job's last success; null without a success, or if this release cannot read that mapping. */
  changes: TargetChange[] | null;
  /** The names of the targets that read all rows once more, see `findRereads`. */
  rereads: ReadonlySet<string>;
  /** The cursor up to which the last run read each target, by the name of the target. */
  cursors: Record<string, string>;
  report: RunReport;
  staged: StagedTarget[];
  /** The keys of the labels that the targets write or name, by label. `stageAll` reads them. */
  keys: ReadonlyMap<string, KeyProperties>;
  /** The address at which the rejected rows are shown. */
  rejectedAt: string;
  progress: RunProgress;
  copyLimits: CopyLimits;
  /** The bytes that all staged rows together may take. `GraphsService.requireRoom` applies the same bound to the tables of the graph. */
  room: StorageRoom;
  /** Aborts the work that another database does for this run or trial. */
  signal: AbortSignal;
}

/** A described source, and how its tables are read. */
export interface Source {
  connection: string;
  connectionId: number;
  /** The schema of the source's tables, as the connection's client names it. */
  schema: string;
  /** The role of the service's own database that reads the tables or their copies. */
  role: string;
  sql: SourceSql;
  /** The tables of another database, which are copied first. */
  copies: Copies | null;
  /**
   * Data versions of the mirror's tables, by table name, which were read before the tables were described. The value is null for a table
   * without a version. The whole map is null for a source in another database.
   */
  versions: Record<string, number | null> | null;
  /** The shapes of the targets' sources, in the order of the targets. */
  shapes: SourceShape[];
}

/** A source whose tables do not change until the transaction ends. */
export interface Opened {
  source: Source;
  /** Digests of the tables that were copied first; null for the mirror. */
  digests: string[] | null;
}

/**
 * The number of times that the tables of a source are described and locked before the run fails. A table may be dropped and made again
 * between its description and the lock.
 */
const mostTries = 3;
/**
 * Milliseconds for which a run waits for the lock on a table. This is usually longer than the one long lock attempt of
 * `dropBetweenReaders`, behind which the run waits.
 */
const lockPatienceMs = 60_000;

/**
 * Begins the staging transaction. Its snapshot is taken after the tables are locked: a table that is swapped in after the snapshot would
 * still show its rows, so the tables would not be of one moment. Tables of the mirror that were loaded after their description may have
 * other types, so they are described again while they are locked.
 * @param describe describes the source in its present state
 * @throws RunFailure, and what `describe` throws
 */
export async function openSnapshot(
  client: PoolClient,
  work: Undertaking,
  described: Source,
  describe: () => Promise<Source>,
): Promise<Opened> {
  const digests = await copyFirst(client, work, described);
  await client.query(letShowCounts);
  const source = await lockTables(client, work, described, describe);
  const names = versionedTables(source);
  if (names.length === 0) return { source, digests };
  const found = await dataVersions(names, readOn(client));
  const isDescribed = names.every(name => found.get(name)?.version === source.versions![name]);
  const seen = names.map(name => [name, found.get(name)?.version ?? null]);
  const versions = { ...source.versions, ...(Object.fromEntries(seen) as Source['versions']) };
  return { source: { ...(isDescribed ? source : await describe()), versions }, digests };
}

/** Locks the mirror's tables. After each failed try they are described again. @returns the last description of the source */
async function lockTables(client: PoolClient, work: Undertaking, described: Source, describe: () => Promise<Source>): Promise<Source> {
  let source = described;
  for (let tries = 1; ; tries++) {
    const tables = inLockOrder(versionedTables(source).map(name => quoteTable(source.schema, name)));
    const lock =
      tables.length === 0 ? '' : `; SET LOCAL lock_timeout = ${lockPatienceMs}; LOCK TABLE ${tables.join(', ')} IN ACCESS SHARE MODE`;
    // The lock may wait for a session that replaces a table, so the step begins before the lock.
    if (lock !== '' && tries === 1) await work.progress.begin('staging');
    try {
      await client.query(
        `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL statement_timeout = ${work.mapping.source.statementTimeoutMs}${lock}`,
      );
      return source;
    } catch (error) {
      // An error of SQLSTATE class 42 (names and rights) means that a table has changed since its description. A lock timeout or a deadlock
      // means that a table is changing now. All other errors are thrown.
      const sqlstate = sqlstateOf(error);
      const isChanging = sqlstate === sqlstates.lockNotAvailable || sqlstate === sqlstates.deadlockDetected;
      if (!isChanging && !sqlstate.startsWith('42')) throw error;
    }
    await client.query('ROLLBACK');
    if (tries === mostTries) throw tablesChanging();
    source = await describe();
  }
}

function versionedTables({ versions }: Source): string[] {
  return Object.entries(versions ?? {})
    .flatMap(([name, version]) => (version === null ? [] : [name]))
    .sort();
}

function tablesChanging(): RunFailure {
  return new RunFailure('source_changed', {
    zh: '镜像中的表在开始读取时一再被上传或删除；请再次运行',
    en: 'tables in the mirror were loaded or dropped again and again as the reading began; run again',
  });
}

function keysChanged(): RunFailure {
  return new RunFailure('source_changed', {
    zh: '读取期间，另一任务改变了关系两端或 references 所指标签的主键；请再次运行',
    en: 'while this run was reading, another job changed the key of a label that an end of an edge or a reference names; run again',
  });
}

/**
 * Stages every target. All targets read the same snapshot, so that, for example, orders and their lines fit together.
 * @throws RunFailure, StorageFullError
 */
export async function stageAll(client: PoolClient, work: Undertaking, source: Source): Promise<void> {
  const { mapping, report, staged, progress } = work;
  work.keys = await readKeys(client, work, source.shapes);
  await setForStaging(client, mapping, source);
  let { room } = work;
  for (const [index, target] of work.targets.entries()) {
    const targetReport = report.targets[index]!;
    targetReport.state = 'staging';
    await progress.begin('staging', target.name, () => expectedRows(client, target, source, progress));
    const cursorFrom = cursorOf(work, target);
    const plan = await inTurns(
      compileStaging({ target, mapping, shape: source.shapes[index]!, from: source.sql, keys: work.keys, cursorFrom }),
    );
    const stagedTarget = await stageTarget(client, target, plan, targetReport, { reader: source.role, progress, room });
    room = room.beside(stagedTarget.bytes);
    if (plan.hasCursor) report.cursors[target.name] = { from: cursorFrom?.value ?? null, to: stagedTarget.cursorTo };
    staged.push(stagedTarget);
    // `read` does not count rows that `where` or the cursor left out. The number of all rows of the source is known only if the table was
    // copied.
    const expected = progress.expectedRows;
    if (!isFiltered(target)) progress.counts(targetReport.read);
    else if (expected?.from === 'exact') progress.counts(expected.rows);
    targetReport.state = 'staged';
    addTotals(report);
    requireFewErrors(mapping, report, targetReport, work.rejectedAt);
  }
  await client.query('COMMIT');
}

/**
 * The number of rows that a target reads, before `where` or the cursor leaves out any. It is counted in the table's copy, or else taken
 * from the last success, or else from PostgreSQL's estimate. Null if none of the three is known.
 */
async function expectedRows(
  client: PoolClient,
  target: Target,
  { copies, schema }: Source,
  progress: RunProgress,
): Promise<ExpectedRows | null> {
  const { source } = target.element;
  const lastRun = isFiltered(target) ? null : progress.rowsOfLastRun;
  if (source.kind === 'query') return lastRun;
  const copied = copies && progress.rowsOf('copying', source.table);
  if (copied != null) return { rows: copied, from: 'exact' };
  if (lastRun || copies) return lastRun;
  const { rows } = await client.query<{ rows: number }>(
    'SELECT reltuples::float8 AS rows FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1)',
    [quoteTable(schema, source.table)],
  );
  return rows[0] && rows[0].rows > 0 ? { rows: rows[0].rows, from: 'statistics' } : null;
}

function isFiltered({ element: { where, incremental } }: Target): boolean {
  return where !== null || incremental !== null;
}

/** Copies the tables of another database, and returns their digests. Null for the mirror, whose tables are staged where they are. */
async function copyFirst(
  client: PoolClient,
  work: Undertaking,
  { connection, connectionId, copies, role }: Source,
): Promise<string[] | null> {
  const { mapping, report, copyLimits, signal, progress } = work;
  const source: SourceReport = (report.source = { connection, guarantee: 'snapshot', copied: null });
  if (!copies) return null;
  const digests = await copySource(client, copies, source, {
    connection,
    connectionId,
    reader: role,
    timeoutMs: mapping.source.statementTimeoutMs,
    limits: copyLimits,
    signal,
    cursorFrom: name =>
      cursorOf(
        work,
        work.targets.find(target => target.name === name)!,
      ),
    progress,
  });
  report.warnings.push(...snapshotWarning(source));
  return digests;
}

/**
 * Begins the writing transaction and brings the graph in line with the staged targets. Readers are not blocked. Other runs of this graph
 * wait until the transaction ends. Rows that are loaded into separate tables become part of the graph only in `takePlace`.
 * @throws RunFailure, StorageFullError
 */
export async function writeAll(client: PoolClient, scope: WriteScope, work: Undertaking, guard: DeleteGuard): Promise<WrittenTarget[]> {
  const { mapping, report, staged, targets, progress } = work;
  await client.query('BEGIN');
  await setForWriting(client, mapping);
  await progress.begin('waiting');
  // The lock makes this run the only writer of the graph.
  await client.query(`LOCK TABLE ${scope.nodes}, ${scope.edges} IN SHARE ROW EXCLUSIVE MODE`);
  if (!(await hasSameKeys(client, work, work.keys))) throw keysChanged();
  const elements = targets.map(elementOf);
  await progress.begin('writing');
  const droppedTypes = await releaseDropped(client, scope, elements, report);
  await loadApart(client, scope, staged);
  await rejectMissingReferences(client, scope, staged, async label => {
    const index = staged.findIndex(({ target }) => target.kind === 'node' && target.element.label === label);
    const found = staged[index];
    if (!found) return null;
    const ownership = await readOwnership(client, scope, elements[index]!, elements);
    return { staged: found, ownership, removes: removedOf(work, found.target) };
  });
  addTotals(report);
  for (const each of staged) requireFewErrors(mapping, report, each.report, work.rejectedAt);
  const written: WrittenTarget[] = [];
  for (const [index, each] of staged.entries()) {
    each.report.state = 'writing';
    await progress.begin('writing', each.target.name);
    const ownership = await readOwnership(client, scope, elements[index]!, elements);
    const removal = { of: removedOf(work, each.target), guard: work.rereads.has(each.target.name) ? new DeleteGuard(true) : guard };
    if (each.target.kind === 'node') await writeNodes(client, scope, each, each.target.element, ownership, removal);
    else {
      const ends = stubEnds(each.target.element, work.keys);
      await makeStubs(client, scope, each, each.target.element, ends);
      await writeEdges(client, scope, each, each.target.element, ownership, removal, ends);
    }
    progress.counts(each.report.inserted + each.report.updated);
    written.push({ staged: each, ownership });
    work.room.require(await measureTables(client, scope));
    each.report.state = 'done';
    addTotals(report);
    requireFewErrors(mapping, report, each.report, work.rejectedAt);
  }
  await releaseTypes(client, scope, droppedTypes, report);
  if (report.totals.deleted + report.totals.edges_removed > 0) report.stubs_removed = await removeLooseStubs(client, scope);
  requireFewErrors(mapping, report, null, work.rejectedAt);
  guard.throwIfExceeded();
  return written;
}

/** The cursor from which the next run reads each target, by the name of the target. */
export function nextCursors({ staged, report }: Undertaking): Record<string, string> {
  return Object.fromEntries(
    staged.flatMap(({ target: { name }, cursorTo }) => {
      const cursor = cursorTo ?? report.cursors[name]?.from ?? null;
      return cursor === null ? [] : [[name, cursor]];
    }),
  );
}

function changeOf({ changes, targets }: Undertaking, target: Target): TargetChange | undefined {
  // `changes` begins with the targets of the new mapping, in their order.
  return changes?.[targets.indexOf(target)];
}

/**
 * Which elements to remove for a target. A target that reads other rows than before, or all rows once more, removes all elements without a
 * row, even if its `deletes` says otherwise.
 */
function removedOf(work: Undertaking, target: Target): 'unseen' | 'marked' | 'none' {
  if (work.rereads.has(target.name) || changeOf(work, target)?.readsOtherRows) return 'unseen';
  return ({ none: 'none', column: 'marked', snapshot: 'unseen' } as const)[target.element.deletes.mode];
}

/**
 * The start of an incremental read. It is `initial` for the first read, after a change of the target, and for a target in `rereads`.
 * Otherwise it is the last cursor with the lag to subtract. Null for a target without `incremental`, and for a read from the beginning.
 */
export function cursorOf(work: Undertaking, target: Target): CursorFrom | null {
  const { incremental } = target.element;
  if (!incremental) return null;
  const last = work.cursors[target.name];
  const goesOn = !work.rereads.has(target.name) && changeOf(work, target)?.change === 'unchanged';
  if (last !== undefined && goesOn) return { value: last, lag: incremental.lag };
  return incremental.initial === null ? null : { value: incremental.initial, lag: 0 };
}

/**
 * Sets the search path so that the mapping's own SQL finds the tables of the source by their bare names, and finds no table of the service.
 */
async function setForStaging(client: PoolClient, { source }: Mapping, { schema, copies }: Source): Promise<void> {
  const path = copies ? pathOfCopies : `pg_catalog, ${quoteIdentifier(schema)}, pg_temp`;
  await client.query(
    `SELECT set_config('statement_timeout', $1, true), set_config('TimeZone', $2, true), set_config('DateStyle', 'ISO, YMD', true),
            set_config('search_path', $3, true), set_config('work_mem', '128MB', true),
            -- Values become text without loss, whatever an operator's own server is set to.
            set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true),
            -- Row numbers are places in the table, so a scan must begin at its beginning.
            set_config('synchronize_seqscans', 'off', true)`,
    [String(source.statementTimeoutMs), source.timezone, path],
  );
}

async function setForWriting(client: PoolClient, { source }: Mapping): Promise<void> {
  await client.query(
    `SELECT set_config('statement_timeout', $1, true), set_config('work_mem', '128MB', true), set_config('lock_timeout', '0', true),
            set_config('maintenance_work_mem', '256MB', true),
            -- The keys of stubs are read like those of nodes.
            set_config('TimeZone', $2, true), set_config('DateStyle', 'ISO, YMD', true)`,
    [String(source.statementTimeoutMs), source.timezone],
  );
}
