import { ApiProperty } from '@nestjs/swagger';

export class HealthResponse {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}

export class ChecksResponse {
  @ApiProperty({ enum: ['ok', 'unavailable'], example: 'ok' })
  database: 'ok' | 'unavailable';

  @ApiProperty({
    enum: ['ok', 'unavailable'],
    example: 'ok',
    description: '仅供参考：检索不可用时其他功能照常 / for information: without retrieval everything else works',
  })
  retrieval: 'ok' | 'unavailable';
}

export class ReadinessResponse {
  @ApiProperty({ enum: ['ok', 'degraded', 'unavailable', 'stopping'], example: 'ok' })
  status: 'ok' | 'degraded' | 'unavailable' | 'stopping';

  @ApiProperty()
  checks: ChecksResponse;
}

export class ServiceSettingsResponse {
  @ApiProperty({ example: '0.1.0' })
  version: string;

  @ApiProperty({ example: true, description: '是否开放注册 / whether anyone may register' })
  registration_open: boolean;

  @ApiProperty({ type: [String], example: ['zh', 'en'], description: '可提问的语言 / languages that questions may be asked in' })
  languages: string[];
}
