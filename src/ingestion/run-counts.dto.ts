import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The counts of a run, for one target or summed over all targets. */
export class RunCountsResponse {
  @ApiProperty({
    example: 91,
    description:
      '读取的行，等于 inserted、updated、unchanged、rejected、skipped 与 marked_deleted 之和 / rows read: the sum of inserted, updated, unchanged, rejected, skipped and marked_deleted once the run has succeeded',
  })
  read: number;

  @ApiProperty({ example: 88, description: '新增元素的行 / rows that made an element' })
  inserted: number;

  @ApiProperty({ example: 1, description: '改变元素的行 / rows that changed an element' })
  updated: number;

  @ApiProperty({ example: 2, description: '元素已是如此的行 / rows whose element was like this already' })
  unchanged: number;

  @ApiProperty({ example: 0, description: '从图中删除的元素 / elements removed from the graph' })
  deleted: number;

  @ApiProperty({ example: 0, description: '违反规则的行 / rows that break a rule' })
  rejected: number;

  @ApiProperty({
    example: 0,
    description: '略去的行：重复的键，或没有两端的关系 / rows left out: a repeated key, or an edge without an end',
  })
  skipped: number;

  @ApiProperty({ example: 0, description: '要求删除的行（deletes: column） / rows that ask for a removal (deletes: column)' })
  marked_deleted: number;

  @ApiPropertyOptional({
    example: 0,
    description:
      '保留、但失去属性的元素：任务不再给出它而另一任务仍给出，或映射已去掉属性而此元素没有写入；只失去仅由此任务映射的属性。不计入读取的行 / elements that stay but lost properties that only this job mapped: it yields them no longer while another job does, or its mapping dropped the properties and no row wrote them. They are none of the rows read. Absent in runs of earlier releases',
  })
  lost_properties?: number;

  @ApiProperty({ example: 0, description: '随节点删除的关系 / edges that went with deleted nodes' })
  edges_removed: number;

  @ApiProperty({
    example: 0,
    description: '其他任务已给出、此任务从此也给出的元素 / elements of other jobs that this job yields from now on too',
  })
  shared: number;

  @ApiPropertyOptional({ example: 0, description: '为关系的端点所建的节点 / nodes that edges made for their ends' })
  stubs_created?: number;
}

export class TargetCountsResponse extends RunCountsResponse {
  @ApiProperty({ example: '客户', description: '节点标签或关系类型 / a node label or an edge type' })
  target: string;

  @ApiProperty({ enum: ['node', 'edge'] })
  kind: string;

  @ApiProperty({ enum: ['waiting', 'staging', 'staged', 'writing', 'done'] })
  state: string;
}

export const exampleCounts = {
  read: 91,
  inserted: 88,
  updated: 1,
  unchanged: 2,
  deleted: 0,
  rejected: 0,
  skipped: 0,
  marked_deleted: 0,
  lost_properties: 0,
  edges_removed: 0,
  shared: 0,
  stubs_created: 0,
};

export const exampleTarget = { target: '客户', kind: 'node', state: 'done', ...exampleCounts };
