import { type PoolClient } from 'pg';
import { isStub } from '../../database/graph-tables.js';
import { SqlParameters } from '../../sql/sql-parameters.js';
import { maxSampledValue } from '../staging/compile-staging.js';
import { type Ownership } from './ownership.js';
import { type Removal } from './removal.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { goodRows, type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';

/** A staged node target, with the nodes of the graph that the run removes for it. */
export interface ReferencedTarget {
  staged: StagedTarget;
  ownership: Ownership;
  removes: Removal['of'];
}

type Reference = StagedTarget['plan']['references'][number];

/**
 * Judges the rules `references` of all targets before anything is written. A reference must name a node that the graph has after the run:
 * the node of a good row, or a node of the graph that the run does not remove. Rejecting a row may leave out a new node, so rows that name
 * this node are rejected as well, and so on. The caller holds the lock that makes the run the graph's only writer.
 * @param nodesOf the target of a label; null if the mapping has no target for it
 * @throws RunFailure when a label that another job loads has another key column than the rule names
 */
export async function rejectMissingReferences(
  client: PoolClient,
  scope: WriteScope,
  targets: StagedTarget[],
  nodesOf: (label: string) => Promise<ReferencedTarget | null>,
): Promise<void> {
  if (targets.every(({ plan }) => plan.references.length === 0)) return;
  // The column `holds` is true if the graph keeps the old node of a rejected row, so that other rows can still name the node.
  await client.query(
    `CREATE TEMPORARY TABLE reference_breaks
       (target int, row_no bigint, col int, rule int, is_error boolean, is_good boolean, key text, holds boolean) ON COMMIT DROP;
     CREATE TEMPORARY TABLE reference_arcs
       (target int, row_no bigint, col int, rule int, is_error boolean, is_good boolean, key text, holds boolean, to_target int, value text) ON COMMIT DROP`,
  );
  const found = new Map<string, ReferencedTarget | null>();
  for (const { plan } of targets) {
    for (const { label, keyColumn } of plan.references) {
      if (!found.has(label)) found.set(label, await nodesOf(label));
      if (!found.get(label)) await requireKey(client, scope, label, keyColumn);
    }
  }
  const own = (staged: StagedTarget): ReferencedTarget | null =>
    [...found.values()].find(referenced => referenced?.staged === staged) ?? null;
  let missing = 0;
  for (const [index, staged] of targets.entries()) {
    for (const reference of staged.plan.references) {
      missing += await findMissing(client, scope, { index, staged, own: own(staged) }, reference, found.get(reference.label) ?? null);
    }
  }
  if (missing > 0) {
    await letFall(client, scope, targets, found, own);
    await client.query('ANALYZE pg_temp.reference_breaks');
    for (const [index, staged] of targets.entries()) await mark(client, index, staged);
  }
  await client.query('DROP TABLE pg_temp.reference_breaks, pg_temp.reference_arcs');
}

/** Makes sure that `column` is the only key column of a label that another job loads. @throws RunFailure */
async function requireKey(client: PoolClient, { graphId }: WriteScope, label: string, column: string): Promise<void> {
  const { rows } = await client.query<{ key_columns: string[] }>(
    `SELECT key_columns FROM graph_elements WHERE graph_id = $1 AND kind = 'node' AND name = $2 ORDER BY job_id`,
    [graphId, label],
  );
  if (rows.length === 0 || rows.some(({ key_columns: key }) => key.length === 1 && key[0] === column)) return;
  const key = rows[0]!.key_columns;
  throw new RunFailure(
    'reference_not_key',
    {
      zh: `references 所指的「${label}」的键是 ${key.join('、')}，不是 ${column}；references 只用于一列的键`,
      en: `references names ${column} of ${label}, whose key is ${key.join(', ')}; references checks a key of one column`,
    },
    { label, column, key },
  );
}

interface Referring {
  index: number;
  staged: StagedTarget;
  own: ReferencedTarget | null;
}

/**
 * Records the rows whose reference names neither the key of a good row nor the key of a node that stays in the graph. Returns the number of
 * these rows.
 */
async function findMissing(
  client: PoolClient,
  scope: WriteScope,
  referring: Referring,
  reference: Reference,
  to: ReferencedTarget | null,
): Promise<number> {
  const sql = new SqlParameters();
  const { plan } = referring.staged;
  const value = `s.${reference.stagedAs}`;
  const stays = to ? staysOf(sql, scope, to, value) : [inGraph(sql, scope, reference.label, `n.key = ${value}`)];
  const isStaged = to
    ? `AND NOT EXISTS (SELECT FROM pg_temp.${to.staged.plan.table} t WHERE t.key = ${value} AND ${goodRows(to.staged.plan, 't')})`
    : '';
  const { rowCount } = await client.query(
    `INSERT INTO pg_temp.reference_breaks
     SELECT ${referring.index}, s.row_no, ${reference.column}, ${reference.rule}, ${reference.severity === 'error'}, s.failures IS NULL, s.key,
            ${holds(sql, scope, referring.own)}
     FROM pg_temp.${plan.table} s
     WHERE ${isJudged(referring.staged, value)} ${isStaged}
       ${stays.map(exists => `AND NOT ${exists}`).join('\n       ')}`,
    sql.values,
  );
  return rowCount ?? 0;
}

/**
 * SQL that is true for staged rows whose reference is judged. Rows that are marked as deleted, or that repeat an earlier key, are not
 * written, so their references are not judged.
 */
function isJudged({ plan }: StagedTarget, value: string): string {
  return `${value} IS NOT NULL AND s.duplicate_of IS NULL${plan.hasDeletes ? ' AND NOT s.gone' : ''}`;
}

function inGraph(sql: SqlParameters, { nodes }: WriteScope, label: string, condition: string): string {
  return `EXISTS (SELECT FROM ${nodes} n WHERE n.label = ${sql.bind(label, 'text')} AND (${isStub('n')}) IS NOT TRUE AND ${condition})`;
}

/**
 * SQL conditions. At least one of them is true if the graph keeps its node with this key although no good row has the key, see
 * `removeNodes`. The conditions are separate so that PostgreSQL can run each as a join.
 */
function staysOf(sql: SqlParameters, scope: WriteScope, { staged, ownership, removes }: ReferencedTarget, key: string): string[] {
  const label = ownership.element.name;
  const { table } = staged.plan;
  if (removes === 'none') return [inGraph(sql, scope, label, `n.key = ${key}`)];
  const isRead =
    removes === 'unseen'
      ? `EXISTS (SELECT FROM pg_temp.${table} t WHERE t.key = n.key${staged.plan.hasDeletes ? ' AND NOT t.gone' : ''})`
      : `NOT EXISTS (SELECT FROM pg_temp.${table} t WHERE t.key = n.key AND t.gone)`;
  return [
    ...(ownership.isShared ? [inGraph(sql, scope, label, `n.key = ${key} AND ${ofOthers(sql, ownership)}`)] : []),
    inGraph(sql, scope, label, `n.key = ${key} AND ${isRead}`),
  ];
}

/** SQL that is true if the graph keeps the node of a rejected row `s`. */
function holds(sql: SqlParameters, scope: WriteScope, own: ReferencedTarget | null): string {
  if (!own) return 'false';
  const { ownership, removes, staged } = own;
  const kept =
    removes === 'marked'
      ? `(${ofOthers(sql, ownership)} OR s.key NOT IN (SELECT t.key FROM pg_temp.${staged.plan.table} t WHERE t.gone AND t.key IS NOT NULL))`
      : 'true'; // the row still stands in the source
  return inGraph(sql, scope, ownership.element.name, `n.key = s.key AND ${kept}`);
}

/** SQL that is true for a node `n` that the run cannot remove, because another job yields it too. */
function ofOthers(sql: SqlParameters, ownership: Ownership): string {
  return `(NOT ${ownership.isOwned(sql, 'n')} OR cardinality(${ownership.ownersLeft(sql, 'n')}) > 0)`;
}

/**
 * Adds to `reference_breaks` the rows that name the new node of a rejected row, and the rows that name the new nodes of those rows, and so
 * on.
 */
async function letFall(
  client: PoolClient,
  scope: WriteScope,
  targets: StagedTarget[],
  found: ReadonlyMap<string, ReferencedTarget | null>,
  own: (staged: StagedTarget) => ReferencedTarget | null,
): Promise<void> {
  const { rows } = await client.query<{ falls: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_temp.reference_breaks WHERE is_error AND is_good AND NOT holds) AS falls',
  );
  if (!rows[0]!.falls) return;
  for (const [index, staged] of targets.entries()) {
    for (const reference of staged.plan.references) {
      const to = found.get(reference.label);
      if (!to) continue;
      const sql = new SqlParameters();
      const value = `s.${reference.stagedAs}`;
      await client.query(
        `INSERT INTO pg_temp.reference_arcs
         SELECT ${index}, s.row_no, ${reference.column}, ${reference.rule}, ${reference.severity === 'error'},
                s.failures IS NULL, s.key, ${holds(sql, scope, own(staged))}, ${targets.indexOf(to.staged)}, ${value}
         FROM pg_temp.${staged.plan.table} s
         WHERE ${isJudged(staged, value)}`,
        sql.values,
      );
    }
  }
  await client.query('CREATE INDEX ON pg_temp.reference_arcs (to_target, value); ANALYZE pg_temp.reference_arcs');
  await client.query(
    `WITH RECURSIVE fallen (target, key) AS (
       SELECT target, key FROM pg_temp.reference_breaks WHERE is_error AND is_good AND NOT holds
       UNION
       SELECT a.target, a.key FROM fallen f JOIN pg_temp.reference_arcs a ON a.to_target = f.target AND a.value = f.key
       WHERE a.is_error AND a.is_good AND NOT a.holds
     )
     INSERT INTO pg_temp.reference_breaks
     SELECT a.target, a.row_no, a.col, a.rule, a.is_error, a.is_good, a.key, a.holds
     FROM pg_temp.reference_arcs a JOIN fallen f ON a.to_target = f.target AND a.value = f.key`,
  );
}

/**
 * Rejects the rows of a target that break a reference of severity `error`, and counts the other rows that break a reference of severity
 * `warn`.
 */
async function mark(client: PoolClient, index: number, { plan, target, report, repeated }: StagedTarget): Promise<void> {
  const none = JSON.stringify([null, ...target.element.columns.map(() => null)]);
  const { rows } = await client.query<{ rejected: number }>(
    `SELECT count(DISTINCT row_no)::int AS rejected FROM pg_temp.reference_breaks WHERE target = $1 AND is_error AND is_good`,
    [index],
  );
  report.rejected += rows[0]!.rejected;
  for (const { column, rule, severity, stagedAs } of plan.references) {
    if (severity !== 'error') continue;
    await client.query(
      `UPDATE pg_temp.${plan.table} s
       SET failures = jsonb_set(coalesce(s.failures, $1::jsonb), ARRAY[$2::text],
         jsonb_build_object('rule', $3::int, 'value', left(s.${stagedAs}, ${maxSampledValue})))
       FROM pg_temp.reference_breaks b
       WHERE b.target = $4 AND b.col = $5 AND b.rule = $3 AND b.row_no = s.row_no AND coalesce(s.failures -> $2::int, 'null') = 'null'`,
      [none, column + 1, rule, index, column],
    );
  }
  for (const { column, rule, severity } of plan.references) {
    if (severity !== 'warn') continue;
    const broken = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_temp.reference_breaks b JOIN pg_temp.${plan.table} s ON s.row_no = b.row_no
       WHERE b.target = $1 AND b.col = $2 AND b.rule = $3 AND s.failures IS NULL`,
      [index, column, rule],
    );
    repeated.push({ column, rule, count: broken.rows[0]!.count });
  }
}
