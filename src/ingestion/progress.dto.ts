import { ApiProperty } from '@nestjs/swagger';
import { joined } from '../text/bilingual.js';
import { type ProgressReport } from './run/progress-report.js';

class RowsSoFarResponse {
  @ApiProperty({ example: 830, description: '从另一数据库复制的行 / copied of another database' })
  copied: number;

  @ApiProperty({ example: 400, description: '检查过的源表行 / source rows gone through and checked' })
  staged: number;

  @ApiProperty({ example: 0, description: '新增与更新的元素 / elements inserted and updated' })
  written: number;
}

class LastRunShareResponse {
  @ApiProperty({ example: 7 })
  run_id: number;

  @ApiProperty({ example: 5200 })
  duration_ms: number;

  @ApiProperty({ example: 0.21, description: '那次运行在这一步之前所用时间的份额 / the share of its time before this step' })
  share_before: number;

  @ApiProperty({ example: 0.35, description: '那次运行这一步所用时间的份额 / the share of its time that this step took' })
  share_of_step: number;
}

export class ProgressResponse {
  @ApiProperty({ enum: ['checking', 'copying', 'staging', 'waiting', 'writing', 'recording'] })
  step: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '客户',
    description: '复制时为表名，其余为节点标签或关系类型 / a table while copying, else a label or an edge type',
  })
  of: string | null;

  @ApiProperty({ example: 1.5, description: '这一步已用的秒数 / seconds that this step has taken' })
  step_seconds: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 400000,
    description:
      '这一步已处理的行数；检查与写入每千行更新一次，更新已有元素与删除时为空 / rows that this step has gone through; every 1,000 rows while staging and writing; null where nothing counts them, as in checks, updates and deletes',
  })
  rows: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 180000, description: '最近 10 秒 / over the last 10 seconds' })
  rows_per_second: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description: '已从来源复制的字节；mirror 为空 / copied of the source; null for the mirror',
  })
  bytes: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null })
  bytes_per_second: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1000000,
    description: '这一步预计的行数；未知为空 / how many rows this step should have; null if unknown',
  })
  expected_rows: number | null;

  @ApiProperty({
    enum: ['exact', 'last_run', 'statistics', null],
    nullable: true,
    example: 'statistics',
    description:
      'exact：已数过；last_run：与上次成功时相同；statistics：数据库的估计，可能偏差很大 / exact: they were counted; last_run: as in the last success; statistics: the estimate of the database, which may be far off',
  })
  expected_from: string | null;

  @ApiProperty({ type: RowsSoFarResponse, description: '本次尝试至今各类步骤的行数 / rows of all steps of a kind in this attempt' })
  rows_so_far: RowsSoFarResponse;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 12,
    description: '有依据时才给出，否则为空，原因见 remaining_reason / null without a base; remaining_reason says why',
  })
  remaining_seconds: number | null;

  @ApiProperty({
    enum: ['run', 'step', null],
    nullable: true,
    example: 'run',
    description: '整次运行，或没有可比的上次运行时仅这一步 / of the whole run, or of this step only where no earlier run can tell',
  })
  remaining_of: string | null;

  @ApiProperty({
    enum: ['rate', 'last_run', 'rate_and_last_run', null],
    nullable: true,
    example: 'rate_and_last_run',
    description:
      '依据：当前速度，或同一版映射上次成功各步所用的时间 / from the rate, or from the times of the last success of this revision',
  })
  remaining_from: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  remaining_reason: string | null;

  @ApiProperty({ type: LastRunShareResponse, nullable: true, description: '同一版映射上次成功的运行 / the last success of this revision' })
  last_run: LastRunShareResponse | null;
}

export function toProgressResponse(progress: ProgressReport): ProgressResponse {
  const { expected, remaining, lastRun } = progress;
  return {
    step: progress.step,
    of: progress.of,
    step_seconds: progress.stepMs / 1000,
    rows: progress.rows,
    rows_per_second: progress.rowsPerSecond,
    bytes: progress.bytes,
    bytes_per_second: progress.bytesPerSecond,
    expected_rows: expected?.rows ?? null,
    expected_from: expected?.from ?? null,
    rows_so_far: progress.total,
    remaining_seconds: remaining.seconds,
    remaining_of: remaining.of,
    remaining_from: remaining.from,
    remaining_reason: remaining.reason && joined(remaining.reason),
    last_run: lastRun && {
      run_id: lastRun.id,
      duration_ms: lastRun.durationMs,
      share_before: lastRun.shareBefore,
      share_of_step: lastRun.shareOfStep,
    },
  };
}
