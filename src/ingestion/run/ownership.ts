import { type PoolClient } from 'pg';
import { isStub } from '../../database/graph-tables.js';
import { type SqlParameters } from '../../sql/sql-parameters.js';
import { type ColumnMapping, type FurtherLabel } from '../mapping/mapping.js';
import { type Target } from '../staging/target.js';
import { type WriteScope } from './write-scope.js';

/** A label of the graph, or an edge type between two labels. */
export interface ElementId {
  kind: 'node' | 'edge';
  name: string;
  sourceLabel: string;
  targetLabel: string;
}

/** Another job that yields nodes or edges of the element. */
interface OtherJob {
  job: number;
  properties: string[];
  labels: string[];
  /**
   * The last run of the other job that wrote rows. Citations name this run for elements that only the other job keeps. Null if there is
   * none.
   */
  run_id: number | null;
}

/**
 * The ownership of an element's rows (nodes or edges of the graph), for the job of a run. A row belongs to every job that yields it. Its
 * `owners` lists these jobs; NULL stands for the one job that `graph_elements` marks with `owns_rest`. If one job alone feeds an element
 * without stubs, `owners` is not read.
 */
export class Ownership {
  constructor(
    readonly element: ElementId,
    readonly jobId: number,
    /** The job to which rows with NULL as `owners` belong. */
    private readonly restJobId: number,
    /** The properties that the job mapped in its last run; null before its first run. */
    readonly mappedBefore: string[] | null,
    /** The further labels that the job mapped in its last run. */
    readonly labelsBefore: string[],
    private readonly others: OtherJob[],
    /**
     * False if the same edge type also joins other pairs of labels. The labels of both ends are then needed to select the element's edges.
     * Always true for nodes.
     */
    readonly isOnlyOfItsName: boolean,
    /** True if some nodes of the label are stubs, which belong to no job. */
    readonly hasStubs: boolean,
  ) {}

  /** True if other jobs yield this element too. */
  get isShared(): boolean {
    return this.others.length > 0;
  }

  get ofNewRows(): number[] | null {
    return this.restJobId === this.jobId ? null : [this.jobId];
  }

  /** The properties that the job mapped in its last run and maps no longer. */
  dropped(columns: ColumnMapping[]): string[] {
    const now = new Set(propertiesOf(columns));
    return (this.mappedBefore ?? []).filter(property => !now.has(property));
  }

  /** The further labels that the job mapped in its last run and maps no longer. */
  droppedLabels(labels: readonly FurtherLabel[]): string[] {
    return this.labelsBefore.filter(name => !labels.some(label => label.name === name));
  }

  /** True if nodes of this element may have further labels from other jobs. */
  get hasOthersLabels(): boolean {
    return this.others.some(({ labels }) => labels.length > 0);
  }

  /** SQL for the ids of the jobs that own a row. */
  owners(sql: SqlParameters, row: string): string {
    return `coalesce(${row}.owners, ${sql.bind([this.restJobId], 'int[]')})`;
  }

  /** SQL that is true for rows that belong to the job. */
  isOwned(sql: SqlParameters, row: string): string {
    return this.isShared || this.hasStubs ? `${sql.bind(this.jobId, 'int')} = ANY (${this.owners(sql, row)})` : 'true';
  }

  /** SQL for the ids of the jobs that own a row, without the job of the run. */
  ownersLeft(sql: SqlParameters, row: string): string {
    return this.isShared ? `array_remove(${this.owners(sql, row)}, ${sql.bind(this.jobId, 'int')})` : `'{}'::int[]`;
  }

  /**
   * SQL for two columns about a row that the job gives up. `stays` is true if other jobs yield the row. `loses` is true if the row then
   * loses properties or further labels.
   */
  leaving(sql: SqlParameters, row: string): string {
    const stays = this.isShared ? `cardinality(${this.ownersLeft(sql, row)}) > 0` : 'false';
    const loses = this.isShared ? this.losing(sql, row) : 'false';
    return `${stays} AS stays, ${loses} AS loses`;
  }

  private losing(sql: SqlParameters, row: string): string {
    const properties = `${row}.properties ?| ${this.ownOnly(sql, row, this.mappedBefore ?? [])}`;
    if (this.labelsBefore.length === 0) return properties;
    return `(${properties} OR ${row}.labels && ${this.ownOnly(sql, row, this.labelsBefore, 'labels')})`;
  }

  /** SQL for the properties, or further labels, in `names` that no other owner of the row maps. */
  ownOnly(sql: SqlParameters, row: string, names: string[], kind: 'properties' | 'labels' = 'properties'): string {
    const all = sql.bind(names, 'text[]');
    if (!this.isShared || names.length === 0) return all;
    return `ARRAY(SELECT p FROM unnest(${all}) AS p WHERE NOT EXISTS (
              SELECT FROM jsonb_to_recordset(${this.othersJson(sql)}) AS o (job int, ${kind} jsonb)
              WHERE o.job = ANY (${this.owners(sql, row)}) AND o.${kind} ? p))`;
  }

  /** SQL for the greatest id among the last runs of the other jobs that own a row; the row's own run if there is none. */
  runOfOwnersLeft(sql: SqlParameters, row: string): string {
    return `coalesce((SELECT max(o.run_id) FROM jsonb_to_recordset(${this.othersJson(sql)}) AS o (job int, run_id int)
                      WHERE o.job = ANY (${this.owners(sql, row)})), ${row}.run_id)`;
  }

  private othersJson(sql: SqlParameters): string {
    return sql.bind(JSON.stringify(this.others), 'jsonb');
  }
}

export function elementOf({ kind, element }: Target): ElementId {
  if (kind === 'node') return { kind, name: element.label, sourceLabel: '', targetLabel: '' };
  return { kind, name: element.type, sourceLabel: element.from.label, targetLabel: element.to.label };
}

/**
 * The name of an element that the job no longer maps, written as in a mapping with the elements `all`: `住在`, or `人-[住在]->城` if another
 * element of `all` has the type `住在` too.
 */
export function droppedName(element: ElementId, all: ElementId[]): string {
  const { kind, name, sourceLabel, targetLabel } = element;
  const isOnly = all.every(other => other.kind !== kind || other.name !== name || isSame(other, element));
  return isOnly ? name : `${sourceLabel}-[${name}]->${targetLabel}`;
}

export function propertiesOf(columns: ColumnMapping[]): string[] {
  return columns.map(column => column.property);
}

/** Reads the ownership of an element inside the writing transaction. Its lock on the graph keeps the ownership unchanged. */
export async function readOwnership(client: PoolClient, scope: WriteScope, element: ElementId, siblings: ElementId[]): Promise<Ownership> {
  const { rows } = await client.query<OtherJob & { owns_rest: boolean; is_same: boolean }>(
    `SELECT g.job_id AS job, g.owns_rest, (g.source_label, g.target_label) = ($4, $5) AS is_same,
            ARRAY(SELECT p ->> 'name' FROM jsonb_array_elements(g.properties) AS p) AS properties,
            ARRAY(SELECT l ->> 'name' FROM jsonb_array_elements(g.labels) AS l) AS labels,
            (SELECT max(id) FROM ingestion_runs r
             WHERE r.job_id = g.job_id AND g.job_id <> $6 AND r.status = 'succeeded' AND ${wroteRows('r')}) AS run_id
     FROM graph_elements g WHERE g.graph_id = $1 AND g.kind = $2 AND g.name = $3`,
    [scope.graphId, element.kind, element.name, element.sourceLabel, element.targetLabel, scope.jobId],
  );
  const stubs = await client.query<{ found: boolean }>(
    `SELECT $1 = 'node' AND EXISTS (SELECT FROM ${scope.nodes} n WHERE n.label = $2 AND ${isStub('n')}) AS found`,
    [element.kind, element.name],
  );
  const feeders = rows.filter(row => row.is_same);
  const own = feeders.find(({ job }) => job === scope.jobId);
  return new Ownership(
    element,
    scope.jobId,
    feeders.find(row => row.owns_rest)?.job ?? scope.jobId,
    own?.properties ?? null,
    own?.labels ?? [],
    feeders.filter(({ job }) => job !== scope.jobId).map(({ job, properties, labels, run_id }) => ({ job, properties, labels, run_id })),
    rows.every(row => row.is_same) &&
      siblings.every(other => other.kind !== element.kind || other.name !== element.name || isSame(other, element)),
    stubs.rows[0]!.found,
  );
}

/**
 * SQL that is true for runs that wrote rows. Rows of the graph may name such a run, so it is kept as long as its job. `row` is the SQL name
 * of a row with the column `report`.
 */
export function wroteRows(row: string): string {
  const total = (name: string): string => `coalesce((${row}.report #>> '{totals,${name}}')::bigint, 0)`;
  return `${['inserted', 'updated', 'shared', 'lost_properties'].map(total).join(' + ')} > 0`;
}

export function isSame(a: ElementId, b: ElementId): boolean {
  return a.kind === b.kind && a.name === b.name && a.sourceLabel === b.sourceLabel && a.targetLabel === b.targetLabel;
}
