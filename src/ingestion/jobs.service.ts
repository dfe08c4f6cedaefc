import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { ApiError } from '../common/errors/api-error.js';
import { TurnTooLongError } from '../common/errors/common-errors.js';
import { afterId, type Page, pageOfRows } from '../http/paging/page.js';
import { Settings } from '../config/settings.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { type SavedRecord } from '../warehouse/warehouse.errors.js';
import {
  type CreatedJobResponse,
  type CreateJobRequest,
  type JobResponse,
  type ListJobsQuery,
  toJobResponse,
  toWarningResponse,
  type ValidateMappingResponse,
} from './ingestion.dto.js';
import { JobsRepository } from './jobs.repository.js';
import { type Mapping, type NodeMapping, type ParsedMapping, pathText } from './mapping/mapping.js';
import { MappingTurns } from './mapping-turns.js';
import { MappingError, type MappingProblem, maxProblems } from './mapping/problems.js';
import { type ReadablePart } from './mapping/readable-part.js';
import { MappingRefusedError } from './mapping.errors.js';
import { type Source } from './run/carry-out.js';
import { type DescribedMapping, SourcesService } from './sources.service.js';
import { isShown, KeyLookUp } from './staging/key-look-up.js';
import { mappingOf, type Target, targetsOf } from './staging/target.js';
import { jobKind } from './run-message.js';

/** The longest time in milliseconds that saving a mapping waits for its source to be checked. */
const sourcePatienceMs = 3_000;

/** The rows from which a job makes one kind of node or edge. */
export interface LoadedRows {
  mapping: Mapping;
  target: Target;
  /** Label or edge type. */
  name: string;
  /** The table that is read; null for a query. */
  table: string | null;
  key: string[];
  /** Finds the rows by the keys of their nodes or edges. */
  byKey: KeyLookUp;
  /** The source columns whose values the graph shows: the columns of the key, of the ends and of properties. */
  shown: string[];
  /** The mapping's condition, as its author wrote it; null for all rows. */
  where: string | null;
}

/**
 * A job that reads a connection in the name of the user who saved the mapping of its last success, and a function that lists the rows that
 * this mapping loads from there.
 */
export type JobReader = SavedRecord & {
  /** @throws SchemaError for a mapping that this release refuses */ loads: () => Promise<LoadedRows[]>;
};

export interface CheckedMapping {
  parsed: ParsedMapping;
  connectionId: number;
  /** The described source. Null if the source did not answer; `parsed` then has a warning. */
  source: Source | null;
}

/** Jobs of a graph: mappings that were checked against their sources. */
@Injectable()
export class JobsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly sources: SourcesService,
    private readonly access: GraphAccessService,
    private readonly settings: Settings,
    private readonly audit: AuditService,
    private readonly turns: MappingTurns,
  ) {}

  /** @throws SchemaError that lists every problem of the mapping; ConnectionForbiddenError; GraphSchemaTooLargeError; QuotaReachedError */
  async create(principal: Principal, request: CreateJobRequest): Promise<CreatedJobResponse> {
    const { parsed, connectionId } = await this.check(principal, request.mapping_yaml);
    const graphId = request.graph_id;
    const targets = targetsOf(parsed.mapping);
    const name = request.name ?? parsed.mapping.name ?? `job-${targets[0]!.name}`;
    const id = await this.audit.recordWith(
      async client => {
        await this.jobs.requireRoomInSchema(client, graphId, null, targets);
        return this.jobs.create(client, { graphId, connectionId, name, mappingYaml: request.mapping_yaml, creator: principal });
      },
      created => ({
        action: 'job.created',
        actor: principal,
        target: jobKind,
        targetId: created,
        context: { name, graph_id: graphId, connection_id: connectionId },
      }),
    );
    return { ...toJobResponse(await this.jobs.get(id)), warnings: parsed.warnings.map(toWarningResponse) };
  }

  /** @throws SchemaError that lists every problem of the mapping; ConnectionForbiddenError */
  async validate(principal: Principal, mappingYaml: string): Promise<ValidateMappingResponse> {
    const { parsed } = await this.check(principal, mappingYaml);
    const targets = targetsOf(parsed.mapping).map(({ kind, name, element: { source } }) => ({
      kind,
      target: name,
      source: source.kind === 'table' ? source.table : 'query',
    }));
    return { valid: true, targets, warnings: parsed.warnings.map(toWarningResponse) };
  }

  async get(id: number): Promise<JobResponse> {
    return toJobResponse(await this.jobs.get(id));
  }

  /** @throws GraphNotFoundError, GraphAccessError for a `graph_id` that the caller may not see */
  async list(principal: Principal, { graph_id, limit, cursor }: ListJobsQuery): Promise<Page<JobResponse>> {
    if (graph_id !== undefined) await this.access.require(principal, graph_id, 'viewer');
    const rows = await this.jobs.list(await this.access.listVisible(principal), graph_id ?? null, afterId(cursor), limit);
    return pageOfRows(rows, job => job.id, toJobResponse);
  }

  /**
   * Lists the given jobs that belong to the graph, as readers of their connections.
   * @param caller the user in whose turn the mappings are read; `loads` reads the mapping of its job at most once
   */
  async listReaders(caller: number, graphId: number, ids: number[]): Promise<JobReader[]> {
    const jobs = await this.jobs.listApplied(graphId, ids);
    return jobs.map(({ id, name, revision, saved_by: savedBy }): JobReader => {
      const read = async () => {
        const { mapping_yaml: yaml } = await this.jobs.getRevision(id, revision);
        return loadedRows((await this.readOf(caller, yaml)).mapping);
      };
      let reading: Promise<LoadedRows[]> | undefined;
      return { kind: 'job', id, name, savedBy, loads: () => (reading ??= read()) };
    });
  }

  /** @throws SchemaError that lists every problem of the mapping; ConnectionForbiddenError */
  async check(principal: Principal, mappingYaml: string): Promise<CheckedMapping> {
    let parsed: ParsedMapping;
    try {
      parsed = await this.turns.read(principal.userId, mappingYaml, this.settings.ingestionMaxStatementTimeoutMs);
    } catch (error) {
      throw error instanceof MappingError ? new MappingRefusedError(await this.withSourceProblems(principal, error)) : error;
    }
    const described = await this.sources.describe(parsed.mapping, principal, sourcePatienceMs);
    const problems = await this.problemsOf(described, parsed, principal.userId);
    if ('problems' in described || problems.length > 0) throw new MappingRefusedError(new MappingError(problems.slice(0, maxProblems)));
    if ('source' in described) return { parsed, connectionId: described.source.connectionId, source: described.source };
    const { connectionId, connection, reason } = described.unchecked;
    const path = ['source', 'connection'];
    const text = {
      zh: `连接 '${connection}' 没有应答，表与列尚未检查；运行时会再检查：${reason.zh}`,
      en: `the connection '${connection}' gave no answer, so tables and columns were not checked; a run checks them again: ${reason.en}`,
    };
    parsed.warnings.push({ code: 'source_not_checked', path, text, ...parsed.placeOf(path) });
    return { parsed, connectionId, source: null };
  }

  /**
   * Adds the problems with the source to an error of the mapping, for the parts of the mapping that could be read. So one answer lists all
   * problems.
   */
  private async withSourceProblems(principal: Principal, error: MappingError): Promise<MappingError> {
    const { readable, problems } = error;
    if (!readable) return error;
    try {
      const described = await this.sources.describe(readable.mapping, principal, sourcePatienceMs);
      const known = new Set(problems.map(({ path }) => pathText(path)));
      const more = (await this.problemsOf(described, readable, principal.userId)).filter(({ path }) => !known.has(pathText(path)));
      return new MappingError([...problems, ...more].slice(0, maxProblems));
    } catch (failure) {
      // If the caller may not read the source, or the source does not answer, only the problems found so far are reported.
      if (failure instanceof ApiError && !(failure instanceof TurnTooLongError)) return error;
      throw failure;
    }
  }

  private async problemsOf(described: DescribedMapping, { mapping, placeOf }: ReadablePart, userId: number): Promise<MappingProblem[]> {
    const found = [...('problems' in described ? described.problems : []), ...(await this.sources.brokenDefaults(mapping, userId))];
    return found.map(({ suggestion: { zh, en } = { zh: '', en: '' }, text, ...problem }) => ({
      ...problem,
      text: { zh: text.zh + zh, en: text.en + en },
      ...placeOf(problem.path),
    }));
  }

  private async readOf(caller: number, mappingYaml: string): Promise<ParsedMapping> {
    try {
      return await this.turns.read(caller, mappingYaml);
    } catch (error) {
      throw error instanceof MappingError ? new MappingRefusedError(error) : error;
    }
  }
}

function loadedRows(mapping: Mapping): LoadedRows[] {
  return targetsOf(mapping).map(target => {
    const { kind, element } = target;
    const { source, key, where, columns } = element;
    const nodeOf = (handle: string | null): NodeMapping | undefined => mapping.nodes.find(({ id }) => id === handle);
    const ends = (kind === 'edge' ? [element.from, element.to] : []).flatMap(({ match, node }) =>
      match.filter(({ edgeColumn, nodeColumn }) =>
        isShown(mappingOf(columns, edgeColumn) ?? mappingOf(nodeOf(node)?.columns ?? [], nodeColumn)),
      ),
    );
    const properties = columns.filter(isShown).flatMap(({ source: from }) => (from.kind === 'column' ? [from.column] : []));
    return {
      mapping,
      target,
      name: kind === 'edge' ? element.type : element.label,
      table: source.kind === 'table' ? source.table : null,
      key,
      byKey: new KeyLookUp(element, mapping.defaults),
      shown: [...new Set([...key, ...ends.map(end => end.edgeColumn), ...properties])],
      where,
    };
  });
}
