import { ApiProperty } from '@nestjs/swagger';

export interface AuditEventRow {
  id: string;
  at: Date;
  action: string;
  actor_id: number | null;
  actor: string | null;
  target: string;
  target_id: number | null;
  context: Record<string, unknown>;
  request_id: string | null;
}

export class AuditEventResponse {
  @ApiProperty({ example: 17 })
  id: number;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ example: 'member.granted' })
  action: string;

  @ApiProperty({ type: Number, nullable: true, example: 1 })
  actor_id: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'admin' })
  actor: string | null;

  @ApiProperty({ example: 'graph' })
  target: string;

  @ApiProperty({ type: Number, nullable: true, example: 3 })
  target_id: number | null;

  @ApiProperty({ type: Object, example: { user: 'li.lei', role: 'viewer' } })
  context: Record<string, unknown>;

  @ApiProperty({ type: String, nullable: true })
  request_id: string | null;
}

export function toAuditEventResponse(row: AuditEventRow): AuditEventResponse {
  return { ...row, id: Number(row.id), at: row.at.toISOString() };
}
