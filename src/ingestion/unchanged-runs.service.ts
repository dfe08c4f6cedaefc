import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { version as release } from '../config/version.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { MirrorVersions } from '../warehouse/mirror/mirror-versions.js';
import { cursorOf, type Source, type Undertaking } from './run/carry-out.js';
import { isRepetition, type LastSuccess } from './run/repeat-run.js';
import { type RunInputs } from './run/run-inputs.js';
import { type ClaimedRun, RunsRepository } from './runs.repository.js';
import { functionsOfOutcome } from './staging/fixed-outcome.js';

/** Finds runs that have nothing to do, because they would repeat the job's last success on the same rows and the same graph. */
@Injectable()
export class UnchangedRunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly graphs: GraphsService,
    private readonly versions: MirrorVersions,
  ) {}

  /**
   * Reads the inputs of a run in the snapshot that it stages from. Call it first after `openSnapshot`. Null if tables of the mirror
   * have no versions or changed since they were described, or if the outcome depends on more than its inputs.
   * @param digests as `openSnapshot` returns them
   */
  async readInputs(client: PoolClient, work: Undertaking, source: Source, digests: string[] | null): Promise<RunInputs | null> {
    const { targets } = work;
    const state = digests ? { data_versions: {}, files: {}, digests } : await this.readMirror(client, source);
    if (!state) return null;
    const functions = functionsOfOutcome(targets, source.schema);
    if (functions === null || !(await areImmutable(client, functions))) return null;
    const incremental = targets.filter(({ element }) => element.incremental !== null);
    const cursors = Object.fromEntries(incremental.map(target => [target.name, cursorOf(work, target)]));
    return { release, ...state, cursors };
  }

  private async readMirror(client: PoolClient, source: Source): Promise<Pick<RunInputs, 'data_versions' | 'files' | 'digests'> | null> {
    if (!source.versions) return null;
    const read = async (sql: string, parameters: unknown[]): Promise<Record<string, unknown>[]> =>
      (await client.query<Record<string, unknown>>(sql, parameters)).rows;
    const found = await this.versions.of(Object.keys(source.versions), read);
    const data_versions = Object.fromEntries([...found].map(([name, { version }]) => [name, version]));
    if (!isDeepStrictEqual(data_versions, source.versions)) return null;
    return { data_versions, files: await readFiles(client, source.schema, Object.keys(data_versions)), digests: [] };
  }

  /** The tables of the mirror that were loaded or dropped since they were described. */
  async changedTables({ versions }: Source): Promise<string[]> {
    const found = await this.versions.of(Object.keys(versions ?? {}));
    return Object.entries(versions ?? {}).flatMap(([name, version]) => (found.get(name)?.version === version ? [] : [name]));
  }

  /** The last success of the job if the run would only repeat it, as the snapshot shows. */
  async findRepeated(client: PoolClient, { jobId, graphId, revision }: ClaimedRun, inputs: RunInputs): Promise<LastSuccess | null> {
    const last = await this.runs.findLastSuccess(client, jobId);
    return last && isRepetition(last, revision, await this.graphs.versionSeen(client, graphId), inputs) ? last : null;
  }
}

async function readFiles(client: PoolClient, schema: string, tables: string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; file: string }>(
    `SELECT relname AS name, concat_ws(':', pg_catalog.pg_relation_filenode(oid), pg_catalog.pg_relation_size(oid)) AS file
     FROM pg_catalog.pg_class WHERE relnamespace = $1::regnamespace AND relname = ANY ($2::text[])`,
    [quoteIdentifier(schema), tables],
  );
  return Object.fromEntries(rows.map(({ name, file }) => [name, file]));
}

/** A name stands for all functions of that name. */
async function areImmutable(client: PoolClient, functions: string[]): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM pg_catalog.pg_proc WHERE proname = ANY ($1::text[]) AND provolatile <> 'i' LIMIT 1`, [
    functions,
  ]);
  return rows.length === 0;
}
