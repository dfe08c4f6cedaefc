import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { inTurns } from '../common/turns/pace.js';
import { version as release } from '../config/version.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { cursorOf, type Source, type Undertaking } from './run/carry-out.js';
import { isRepetition, type LastSuccess } from './run/repeat-run.js';
import { type RunInputs } from './run/run-inputs.js';
import { type ClaimedRun, RunsRepository } from './runs.repository.js';
import { functionsOfOutcome } from './staging/fixed-outcome.js';

/** Finds runs that have nothing to do, because they would repeat the job's last successful run over the same rows and the same graph. */
@Injectable()
export class UnchangedRunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly graphs: GraphsService,
  ) {}

  /**
   * Reads the inputs of a run in its staging snapshot. Call it directly after `openSnapshot`. Null if a table of the mirror has no data
   * version, or if the outcome of the run depends on more than these inputs.
   * @param digests the digests that `openSnapshot` returns
   */
  async readInputs(client: PoolClient, work: Undertaking, source: Source, digests: string[] | null): Promise<RunInputs | null> {
    const { targets } = work;
    const state = digests ? { data_versions: {}, files: {}, digests } : await readMirror(client, source);
    if (!state) return null;
    const functions = await inTurns(functionsOfOutcome(targets, source.schema));
    if (functions === null || !(await areImmutable(client, functions))) return null;
    const incremental = targets.filter(({ element }) => element.incremental !== null);
    const cursors = Object.fromEntries(incremental.map(target => [target.name, cursorOf(work, target)]));
    return { release, ...state, cursors };
  }

  /**
   * Returns the last success of the job if the staging snapshot shows that nothing changed since, so that the run would only repeat it.
   * Otherwise null.
   */
  async findRepeated(client: PoolClient, { jobId, graphId, revision }: ClaimedRun, inputs: RunInputs): Promise<LastSuccess | null> {
    const last = await this.runs.findLastSuccess(client, jobId);
    return last && isRepetition(last, revision, await this.graphs.versionSeen(client, graphId), inputs) ? last : null;
  }
}

async function readMirror(
  client: PoolClient,
  { versions, schema }: Source,
): Promise<Pick<RunInputs, 'data_versions' | 'files' | 'digests'> | null> {
  if (!versions) return null;
  const data_versions: Record<string, number> = {};
  for (const [name, version] of Object.entries(versions)) {
    if (version === null) return null;
    data_versions[name] = version;
  }
  return { data_versions, files: await readFiles(client, schema, Object.keys(data_versions)), digests: [] };
}

async function readFiles(client: PoolClient, schema: string, tables: string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; file: string }>(
    `SELECT relname AS name, concat_ws(':', pg_catalog.pg_relation_filenode(oid), pg_catalog.pg_relation_size(oid)) AS file
     FROM pg_catalog.pg_class WHERE relnamespace = $1::regnamespace AND relname = ANY ($2::text[])`,
    [quoteIdentifier(schema), tables],
  );
  return Object.fromEntries(rows.map(({ name, file }) => [name, file]));
}

/**
 * True if all functions with these names are immutable. A name stands for all functions of that name, whatever their schema and parameters.
 */
async function areImmutable(client: PoolClient, functions: string[]): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM pg_catalog.pg_proc WHERE proname = ANY ($1::text[]) AND provolatile <> 'i' LIMIT 1`, [
    functions,
  ]);
  return rows.length === 0;
}
