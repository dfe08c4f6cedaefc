import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { afterId, type Page, page } from '../http/paging/page.js';
import { inLimitedTurns } from '../common/turns/pace.js';
import { JobRetiredError } from './ingestion.errors.js';
import { type JobRow, JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';
import { type Mapping } from './mapping/mapping.js';
import { readMapping } from './mapping/parse-mapping.js';
import { MappingError } from './mapping/problems.js';
import {
  type RevisionResponse,
  type RevisionTextResponse,
  type SavedRevisionResponse,
  type SaveRevisionRequest,
  toRevisionResponse,
  toSavedRevisionResponse,
} from './revisions.dto.js';
import { compareMappings, type TargetChange } from './run/compare-mappings.js';
import { targetsOf } from './staging/target.js';
import { TrialService } from './trial.service.js';
import { jobKind } from './run-message.js';

/**
 * The mappings of a job. Each mapping is a revision. The next run applies the newest mapping and removes from the graph what only the
 * former mapping made.
 */
@Injectable()
export class RevisionsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly jobsService: JobsService,
    private readonly trials: TrialService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Checks a mapping in the same way as the mapping of a new job, and makes it the current mapping of the job. A dry run saves nothing and
   * reports what a run would do.
   * @throws SchemaError that lists every problem of the mapping; ConnectionForbiddenError; JobRetiredError; TooManyRevisionsError;
   * TooManyTrialsError; GraphSchemaTooLargeError
   */
  async save(principal: Principal, jobId: number, request: SaveRevisionRequest): Promise<SavedRevisionResponse> {
    const { parsed, connectionId, source } = await this.jobsService.check(principal, request.mapping_yaml);
    const job = await this.jobs.get(jobId);
    if (job.retired_at !== null) throw new JobRetiredError();
    const changes = await changesTo(job, parsed.mapping);
    if (request.dry_run) {
      await this.jobs.requireRoomInSchema(null, job.graph_id, jobId, targetsOf(parsed.mapping));
      const describe = async () => (await this.jobsService.check(principal, request.mapping_yaml)).source ?? source!;
      const trial = source && (await this.trials.run(principal.userId, job, parsed.mapping, source, describe));
      return toSavedRevisionResponse(null, changes, trial, parsed.warnings);
    }
    const revision = await this.audit.recordWith(
      async client => {
        await this.jobs.requireRoomInSchema(client, job.graph_id, jobId, targetsOf(parsed.mapping));
        return this.jobs.saveRevision(client, jobId, { connectionId, mappingYaml: request.mapping_yaml, author: principal });
      },
      saved => ({
        action: 'job.revised',
        actor: principal,
        target: jobKind,
        targetId: jobId,
        context: { revision: saved, connection_id: connectionId },
      }),
    );
    return toSavedRevisionResponse(revision, changes, null, parsed.warnings);
  }

  /** A page of the revisions of a job, the newest first. */
  async list(jobId: number, limit: number, cursor?: string): Promise<Page<RevisionResponse>> {
    const before = afterId(cursor);
    const rows = await this.jobs.listRevisions(jobId, before === 0 ? null : before, limit + 1);
    return page(rows.map(toRevisionResponse), limit, each => each.revision);
  }

  /** @throws RevisionNotFoundError */
  async get(jobId: number, revision: number): Promise<RevisionTextResponse> {
    const row = await this.jobs.getRevision(jobId, revision);
    return { ...toRevisionResponse(row), mapping_yaml: row.mapping_yaml };
  }
}

/**
 * The changes from the job's current mapping to `mapping`. A current mapping that this release can no longer read counts as a mapping
 * without targets.
 */
async function changesTo({ mapping_yaml: yaml }: JobRow, mapping: Mapping): Promise<TargetChange[]> {
  try {
    return compareMappings((await inLimitedTurns(readMapping(yaml))).mapping, mapping);
  } catch (error) {
    if (error instanceof MappingError) return compareMappings({ ...mapping, nodes: [], edges: [] }, mapping);
    throw error;
  }
}
