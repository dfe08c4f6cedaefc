import { type PoolClient, type QueryConfig } from 'pg';
import { type StorageRoom } from '../../database/storage-room.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type JudgedColumn, maxSampledValue, type StagingPlan } from '../staging/compile-staging.js';
import { boundStaging, hadNoRoom } from '../staging/shown-count.js';
import { type Target } from '../staging/target.js';
import { type RunProgress } from './run-progress.js';
import { type TargetReport } from './run-report.js';

/**
 * The statistics target for staged columns. It is enough for the planner to recognise large joins. PostgreSQL's default of 100 would read
 * ten times as many rows.
 */
const statisticsTarget = 10;

/** A target whose rows are staged in this database session. */
export interface StagedTarget {
  target: Target;
  plan: StagingPlan;
  report: TargetReport;
  progress: RunProgress;
  /** The greatest cursor among the staged rows, as text in the cursor's type; null if there is none. */
  cursorTo: string | null;
  /** How many rows break each rule of severity `warn`, in the order of `plan.warnings`. */
  warnings: number[];
  /**
   * For each rule of severity `warn` that is judged over all rows: how many rows break it, and the indexes of its column and of the rule.
   */
  repeated: { column: number; rule: number; count: number }[];
  /** How many rows were marked because they repeat the key of an earlier row. */
  duplicates: number;
  /** How many stubs the edges have made, by the label of the stubs. */
  stubs: Map<string, number>;
  /** The bytes of the staging table. */
  bytes: number;
}

/** SQL that selects the rows of the staging table that are to be written. */
export function goodRows(plan: StagingPlan, alias = 's'): string {
  const conditions = [`${alias}.failures IS NULL`, `${alias}.duplicate_of IS NULL`];
  if (plan.hasDeletes) conditions.push(`NOT ${alias}.gone`);
  return conditions.join(' AND ');
}

/**
 * Stages the rows of one target. It runs inside the staging transaction, so that all targets are read from one snapshot. `reader` is the
 * database role that reads the source.
 * @throws StorageFullError when the rows need more than `room`
 */
export async function stageTarget(
  client: PoolClient,
  target: Target,
  plan: StagingPlan,
  report: TargetReport,
  { reader, progress, room }: { reader: string; progress: RunProgress; room: StorageRoom },
): Promise<StagedTarget> {
  await client.query(plan.createTable);
  await client.query(boundStaging, [room.leftBytes ?? '']);
  await client.query(`GRANT INSERT ON pg_temp.${plan.table} TO ${quoteIdentifier(reader)}`);
  // From here on the mapping's own SQL runs. Its role may only read the tables of the source and fill this staging table.
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(reader)}`);
  // `queryMode: 'extended'` limits the text to one statement. The driver supports this option, but its declarations lack it, so the type
  // adds it.
  const insert: QueryConfig & { queryMode: 'extended' } = { text: plan.insert.sql, values: plan.insert.parameters, queryMode: 'extended' };
  try {
    report.read = await progress.counting(plan.table, async () => (await client.query(insert)).rowCount ?? 0);
  } catch (error) {
    if (hadNoRoom(error)) room.require(Math.max(0, room.leftBytes!) + 1);
    throw error;
  }
  await client.query('SET LOCAL ROLE NONE');
  const bytes = await measure(client, plan);
  room.require(bytes);
  const staged: StagedTarget = {
    target,
    plan,
    report,
    progress,
    cursorTo: null,
    warnings: [],
    repeated: [],
    duplicates: 0,
    stubs: new Map(),
    bytes,
  };
  await analyzeStaged(client, plan, target);
  for (const unique of plan.unique) await rejectRepeated(client, staged, unique);
  const isKeyUnique = plan.unique.some(({ stagedAs, severity }) => stagedAs === 'key' && severity === 'error');
  if (target.kind === 'node' && !isKeyUnique) await markDuplicates(client, staged);
  await summarise(client, staged);
  return staged;
}

async function measure(client: PoolClient, { table }: StagingPlan): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(`SELECT pg_total_relation_size('pg_temp.${table}'::regclass)::float8 AS bytes`);
  return rows[0]!.bytes;
}

/**
 * Collects the statistics of the staged columns that joins and filters use. Without statistics on the filters the planner expects almost no
 * good rows, and so looks up a million nodes one by one.
 */
async function analyzeStaged(client: PoolClient, plan: StagingPlan, target: Target): Promise<void> {
  const columns = ['key', 'failures', 'duplicate_of'];
  if (target.kind === 'edge') columns.push('from_key', 'to_key');
  if (plan.hasDeletes) columns.push('gone');
  await client.query(
    `SET LOCAL default_statistics_target = ${statisticsTarget}; ANALYZE pg_temp.${plan.table} (${columns.join(', ')}); SET LOCAL default_statistics_target TO DEFAULT`,
  );
}

/**
 * Counts the rejected rows, removals, warnings and the greatest cursor in one pass over the staged rows. There is no pass if nothing is to
 * be counted.
 */
async function summarise(client: PoolClient, staged: StagedTarget): Promise<void> {
  const { plan, report } = staged;
  const counts = ['count(failures)::int AS rejected'];
  if (plan.hasDeletes) counts.push('(count(*) FILTER (WHERE gone))::int AS gone');
  if (plan.hasCursor) counts.push('max(cursor_value)::text AS cursor');
  plan.warnings.forEach(({ stagedAs }, index) =>
    counts.push(`(count(*) FILTER (WHERE ${stagedAs} AND failures IS NULL))::int AS w${index}`),
  );
  if (!plan.canFail && plan.unique.length === 0 && counts.length === 1) return;
  const { rows } = await client.query<Record<string, unknown>>(`SELECT ${counts.join(', ')} FROM pg_temp.${plan.table}`);
  const row = rows[0]!;
  report.rejected = row['rejected'] as number;
  report.marked_deleted = (row['gone'] as number | undefined) ?? 0;
  staged.cursorTo = (row['cursor'] as string | null | undefined) ?? null;
  staged.warnings.push(...plan.warnings.map((_, index) => row[`w${index}`] as number));
}

/**
 * Judges rows with the same value in a unique column. The first row that keeps all other rules passes. Later rows are rejected as repeats
 * even if they already break another rule, so that all their reasons are reported. A rule of severity `warn` rejects nothing, and counts
 * only repeats that break no other rule.
 */
async function rejectRepeated(client: PoolClient, { target, plan, repeated }: StagedTarget, unique: JudgedColumn): Promise<void> {
  const { stagedAs, column, rule, severity } = unique;
  const { table } = plan;
  const open = `${stagedAs} IS NOT NULL${plan.hasDeletes ? ' AND NOT gone' : ''}`;
  if (!(await hasRepeated(client, table, stagedAs, open))) return;
  const first = `min(row_no) FILTER (WHERE failures IS NULL) OVER (PARTITION BY ${stagedAs} COLLATE "C")`;
  const later = `(SELECT row_no, failures, ${first} AS first FROM pg_temp.${table} WHERE ${open})`;
  if (severity === 'warn') {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${later} d WHERE d.first < d.row_no AND d.failures IS NULL`,
    );
    repeated.push({ column, rule, count: rows[0]!.count });
    return;
  }
  await client.query(
    `UPDATE pg_temp.${table} s
     SET failures = jsonb_set(coalesce(s.failures, $1::jsonb), ARRAY[$2::text],
       jsonb_build_object('rule', $3::int, 'first', d.first, 'value', left(s.${stagedAs}, ${maxSampledValue})))
     FROM ${later} d
     WHERE d.row_no = s.row_no AND d.first < d.row_no AND coalesce(s.failures -> $2::int, 'null') = 'null'`,
    [JSON.stringify([null, ...target.element.columns.map(() => null)]), column + 1, rule],
  );
}

/**
 * Marks the rows that repeat the identity of an earlier row, which is their key or, for edges, their ends and key. Only the earliest row is
 * written.
 */
export async function markDuplicates(client: PoolClient, staged: StagedTarget): Promise<void> {
  const { plan, target, report } = staged;
  const identity = target.kind === 'node' ? 'key' : 'from_key, to_key, key';
  // A row with an empty end is not an edge, so it cannot repeat an edge.
  const open = goodRows(plan, plan.table) + (target.kind === 'node' ? '' : ' AND from_key IS NOT NULL AND to_key IS NOT NULL');
  if (!(await hasRepeated(client, plan.table, identity, open))) return;
  const partition = identity.split(', ').map(column => `${column} COLLATE "C"`);
  const { rowCount } = await client.query(
    `UPDATE pg_temp.${plan.table} s SET duplicate_of = d.first
     FROM (SELECT row_no, min(row_no) OVER (PARTITION BY ${partition.join(', ')}) AS first FROM pg_temp.${plan.table} WHERE ${open}) d
     WHERE d.row_no = s.row_no AND d.first < d.row_no`,
  );
  staged.duplicates = rowCount ?? 0;
  report.skipped += staged.duplicates;
}

async function hasRepeated(client: PoolClient, table: string, columns: string, open: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_temp.${table} WHERE ${open} GROUP BY ${columns} HAVING count(*) > 1) AS found`,
  );
  return rows[0]!.found;
}
