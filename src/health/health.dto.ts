import { ApiProperty } from '@nestjs/swagger';

export class HealthResponse {
  @ApiProperty({ example: 'ok' })
  status: string;
}

export class ReadinessResponse extends HealthResponse {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { database: 'ok' } })
  checks: Record<string, string>;
}
