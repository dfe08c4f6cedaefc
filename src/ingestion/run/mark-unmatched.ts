import { type PoolClient } from 'pg';
import { SqlParameters } from '../../sql/sql-parameters.js';
import { type EdgeEnd, type EdgeMapping } from '../mapping/mapping.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { findsFor, fitsStub, type StubEnds } from './stub-ends.js';
import { goodRows, type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';

interface Unmatched {
  failing: number;
  rejected: number;
  skipped: number;
  empty: number;
  repeated: number;
}

/**
 * Marks the rows for which the node of an end is missing. If a missing end has `on_missing` quarantine or fail, or could not make a stub,
 * the row gets `failures`. If the missing ends only have skip, it gets `duplicate_of = 0`. So the stricter end decides. A row with an empty
 * end is not an edge, so it is always skipped. If several of these rows are the same edge, the first is treated in this way, and the others
 * get its number as `duplicate_of`. `markDuplicates` marks repeats in the same way, but is not called in a first load.
 */
export async function markUnmatched(
  client: PoolClient,
  scope: WriteScope,
  { plan }: StagedTarget,
  edge: EdgeMapping,
  ends: StubEnds,
): Promise<Unmatched> {
  const sql = new SqlParameters();
  const [from, to] = [sql.bind(edge.from.onMissing, 'text'), sql.bind(edge.to.onMissing, 'text')];
  const [fromLabel, toLabel] = [sql.bind(edge.from.label, 'text'), sql.bind(edge.to.label, 'text')];
  const { rows } = await client.query<Unmatched>(
    `WITH lost AS (
       SELECT s.row_no, a.id IS NULL AND NOT ${fitsStub(ends.from, 's.from_key')} AS no_from,
              b.id IS NULL AND NOT ${fitsStub(ends.to, 's.to_key')} AS no_to, s.from_key IS NULL OR s.to_key IS NULL AS empty,
              min(s.row_no) OVER (PARTITION BY s.from_key COLLATE "C", s.to_key COLLATE "C", s.key COLLATE "C") AS first
       FROM pg_temp.${plan.table} s
         LEFT JOIN ${scope.nodes} a ON a.label = ${fromLabel} AND a.key = s.from_key${findsFor(edge.from, 'a')}
         LEFT JOIN ${scope.nodes} b ON b.label = ${toLabel} AND b.key = s.to_key${findsFor(edge.to, 'b')}
       WHERE ${goodRows(plan)} AND (a.id IS NULL OR b.id IS NULL)
     ), told AS (
       SELECT *, CASE WHEN NOT empty AND first < row_no THEN first END AS repeats FROM lost
     ), judged AS (
       SELECT *, NOT empty AND repeats IS NULL AND ((no_from AND ${from} = 'fail') OR (no_to AND ${to} = 'fail')) AS failing,
              NOT empty AND repeats IS NULL AND ((no_from AND ${from} IN ('quarantine', 'create')) OR (no_to AND ${to} IN ('quarantine', 'create'))) AS rejected
       FROM told
     ), shown AS (
       SELECT s.row_no, j.no_from, j.no_to, ${foldedKey('s.from_key')} AS from_fold, ${foldedKey('s.to_key')} AS to_fold
       FROM judged j JOIN pg_temp.${plan.table} s USING (row_no) WHERE j.failing OR j.rejected ORDER BY s.row_no LIMIT ${mostHinted}
     ), from_alike AS (${alike(scope, fromLabel, 'from', edge.from)}), to_alike AS (${alike(scope, toLabel, 'to', edge.to)}
     ), marked AS (
       UPDATE pg_temp.${plan.table} s
       SET failures = CASE WHEN j.failing OR j.rejected THEN jsonb_strip_nulls(jsonb_build_object('no_from', j.no_from, 'no_to', j.no_to,
             'from_alike', a.key, 'to_alike', b.key)) END,
           duplicate_of = CASE WHEN j.failing OR j.rejected THEN NULL ELSE coalesce(j.repeats, 0) END
       FROM judged j
         LEFT JOIN shown h ON h.row_no = j.row_no
         LEFT JOIN from_alike a ON h.no_from AND a.fold = h.from_fold
         LEFT JOIN to_alike b ON h.no_to AND b.fold = h.to_fold
       WHERE j.row_no = s.row_no
     )
     SELECT (count(*) FILTER (WHERE failing))::int AS failing, (count(*) FILTER (WHERE rejected AND NOT failing))::int AS rejected,
            (count(*) FILTER (WHERE empty))::int AS empty,
            (count(repeats))::int AS repeated,
            (count(*) FILTER (WHERE NOT rejected AND NOT failing AND NOT empty AND repeats IS NULL))::int AS skipped
     FROM judged`,
    sql.values,
  );
  return rows[0]!;
}

/** The most rejected rows whose reason may name a node with a similar key, and the most nodes that are compared to find one. */
const mostHinted = 1_000;
const mostCompared = 1_000_000;

/**
 * SQL that reduces a key to a form for finding similar keys: in lower case, without blanks at the ends of its parts, and without zeros that
 * do not change a number. A key of several parts is a JSON array.
 */
function foldedKey(key: string): string {
  const bare = `lower(regexp_replace(btrim(${key}), '\\s*"\\s*', '"', 'g'))`;
  const padded = String.raw`'(^|")([+-]?)0+(?=[0-9]+([.][0-9]+)?("|$))'`;
  const longer = String.raw`'((?:^|")[+-]?[0-9]+)(?:[.]0+|([.][0-9]*[1-9])0+)(?="|$)'`;
  return `regexp_replace(regexp_replace(${bare}, ${padded}, '\\1\\2', 'g'), ${longer}, '\\1\\2', 'g')`;
}

/** SQL that finds nodes of a label for the keys that found no node: the nodes whose keys are equal to these keys after `foldedKey`. */
function alike({ nodes }: WriteScope, label: string, end: 'from' | 'to', of: EdgeEnd): string {
  return `SELECT fold, min(key COLLATE "C") AS key
     FROM (SELECT n.key, ${foldedKey('n.key')} AS fold FROM ${nodes} n WHERE n.label = ${label}${findsFor(of, 'n')} AND EXISTS (SELECT FROM shown WHERE no_${end}) LIMIT ${mostCompared}) AS compared
     WHERE fold IN (SELECT ${end}_fold FROM shown WHERE no_${end}) GROUP BY fold`;
}

/** @throws RunFailure when no row found both ends although rows were read, or when a row found no node at an end with `on_missing: fail` */
export function requireMatches(target: string, edge: EdgeMapping, matched: number, { rejected, failing, skipped }: Unmatched): void {
  const lost = rejected + failing + skipped;
  if (matched === 0 && lost > 0) throw allUnmatched(target, lost);
  if (failing > 0) throw endsMissing(target, failing, edge);
}

function allUnmatched(target: string, rows: number): RunFailure {
  return new RunFailure(
    'all_edges_unmatched',
    {
      zh: `「${target}」读取了 ${rows} 行，没有一行能找到两端的节点；请检查 match 的列`,
      en: `${rows} rows of '${target}' were read and none found the nodes at both ends; check the columns of match`,
    },
    { target, rows },
  );
}

function endsMissing(target: string, rows: number, edge: EdgeMapping): RunFailure {
  const { label } = edge.from.onMissing === 'fail' ? edge.from : edge.to;
  return new RunFailure(
    'edges_unmatched',
    {
      zh: `「${target}」有 ${rows} 行找不到节点「${label}」，而 on_missing 为 fail`,
      en: `${rows} rows of '${target}' found no node ${label}, and on_missing is fail`,
    },
    { target, rows },
  );
}
