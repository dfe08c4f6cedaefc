import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { joined } from '../text/bilingual.js';
import { MappingWarningResponse, toWarningResponse, ValidateMappingRequest } from './ingestion.dto.js';
import { type RevisionRow } from './jobs.repository.js';
import { type MappingWarning } from './mapping/mapping.js';
import { TargetCountsResponse } from './run-counts.dto.js';
import { type TargetChange } from './run/compare-mappings.js';
import { type Trial } from './trial.service.js';

export class SaveRevisionRequest extends ValidateMappingRequest {
  @ApiPropertyOptional({
    default: false,
    description: '只说明将有何变化，不保存 / only tell what would change, and save nothing',
  })
  @IsOptional()
  @IsBoolean()
  dry_run?: boolean;
}

class SavedByResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'admin' })
  username: string;
}

export class RevisionResponse {
  @ApiProperty({ example: 2, description: '从 1 起 / from 1' })
  revision: number;

  @ApiProperty({
    type: SavedByResponse,
    nullable: true,
    description: '保存者，运行时以其名义读取；用户已删除时为空 / who saved it, in whose name it reads; null once deleted',
  })
  saved_by: SavedByResponse | null;

  @ApiProperty({ format: 'date-time' })
  saved_at: string;
}

export class RevisionTextResponse extends RevisionResponse {
  @ApiProperty({ example: 'version: 1\n' })
  mapping_yaml: string;
}

class ListChangesResponse {
  @ApiProperty({ type: [String] })
  added: string[];

  @ApiProperty({ type: [String] })
  removed: string[];
}

class PropertyChangesResponse extends ListChangesResponse {
  @ApiProperty({ type: [String] })
  changed: string[];
}

export class TargetChangeResponse {
  @ApiProperty({ example: '客户' })
  target: string;

  @ApiProperty({ enum: ['node', 'edge'] })
  kind: string;

  @ApiProperty({ enum: ['added', 'removed', 'changed', 'unchanged'] })
  change: string;

  @ApiProperty({ type: [String], example: ['where'], description: '不同的键 / the keys that differ' })
  keys: string[];

  @ApiProperty({ type: PropertyChangesResponse })
  properties: PropertyChangesResponse;

  @ApiProperty({ type: ListChangesResponse, description: '形如「属性: 规则」 / as "property: rule"' })
  rules: ListChangesResponse;

  @ApiProperty({
    example: false,
    description:
      '读取的行或主键不同：下次运行会读取全部行，并删除它不再给出的元素 / other rows or keys: the next run reads all rows and removes what it yields no longer',
  })
  reads_other_rows: boolean;
}

class TrialErrorResponse {
  @ApiProperty({ example: 'rows_rejected' })
  code: string;

  @ApiProperty({ example: '… / …' })
  detail: string;

  @ApiPropertyOptional({ type: Object })
  context?: Record<string, unknown>;
}

class TrialResponse {
  @ApiProperty({
    enum: ['succeeds', 'fails', 'unfinished'],
    description: '现在运行会成功、失败，或未能在一分钟内算完 / a run now would succeed or fail, or it could not be told within a minute',
  })
  outcome: string;

  @ApiProperty({ type: TrialErrorResponse, nullable: true })
  error: TrialErrorResponse | null;

  @ApiProperty({
    example: false,
    description: '运行需要 allow_deletes=true / a run needs allow_deletes=true, as more than half of a label goes',
  })
  needs_allow_deletes: boolean;

  @ApiProperty({
    type: [TargetCountsResponse],
    description: '每个目标的计数，与运行报告相同 / the counts of each target, as in the report of a run',
  })
  targets: TargetCountsResponse[];

  @ApiProperty({ type: [Object], description: '前几行被拒绝的行 / the first rejected rows' })
  rejected_sample: object[];
}

/**
 * The answer to a saved mapping or to a dry run. `revision` is null after a dry run. `trial` is null unless it was a dry run whose source
 * answered.
 */
export class SavedRevisionResponse {
  @ApiProperty({ type: Number, nullable: true, example: 2 })
  revision: number | null;

  @ApiProperty({ type: [TargetChangeResponse], description: '与当前版本相比 / compared with the current revision' })
  changes: TargetChangeResponse[];

  @ApiProperty({
    type: TrialResponse,
    nullable: true,
    description: 'dry_run 时：试运行的结果，图不变 / of a dry run: what a run would do; the graph stays as it is',
  })
  trial: TrialResponse | null;

  @ApiProperty({ type: [MappingWarningResponse] })
  warnings: MappingWarningResponse[];
}

export function toRevisionResponse({ revision, saved_by, saved_at }: Omit<RevisionRow, 'mapping_yaml'>): RevisionResponse {
  return { revision, saved_by, saved_at: saved_at.toISOString() };
}

export function toSavedRevisionResponse(
  revision: number | null,
  changes: TargetChange[],
  trial: Trial | null,
  warnings: MappingWarning[],
): SavedRevisionResponse {
  return {
    revision,
    changes: changes.map(({ readsOtherRows, ...change }) => ({ ...change, reads_other_rows: readsOtherRows })),
    trial: trial && toTrialResponse(trial),
    warnings: warnings.map(toWarningResponse),
  };
}

function toTrialResponse({ outcome, failure, report, exceeded }: Trial): TrialResponse {
  return {
    outcome,
    error: failure && { code: failure.code, detail: joined(failure.text), context: failure.context },
    needs_allow_deletes: exceeded.length > 0,
    targets: report.targets,
    rejected_sample: report.rejected_sample,
  };
}
