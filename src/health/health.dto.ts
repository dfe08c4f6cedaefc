import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

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

  @ApiPropertyOptional({
    enum: ['ok', 'unavailable', 'other_version', 'refused'],
    isArray: true,
    example: ['ok', 'ok', 'unavailable'],
    description:
      '有多个检索进程时，按 RETRIEVAL_URLS 的顺序给出各进程的状态；只要有一个应答，查询照常 / the state of each retrieval process where there are several, in the order of RETRIEVAL_URLS; queries are answered while one of them answers',
  })
  retrieval_processes?: ('ok' | 'unavailable' | 'other_version' | 'refused')[];
}

export class ReadinessResponse {
  @ApiProperty({ enum: ['ok', 'degraded', 'unavailable', 'stopping'], example: 'ok' })
  status: 'ok' | 'degraded' | 'unavailable' | 'stopping';

  @ApiProperty()
  checks: ChecksResponse;
}

export class ServiceSettingsResponse {
  @ApiProperty({ example: '0.4.0' })
  version: string;

  @ApiProperty({ example: true, description: '是否开放注册 / whether anyone may register' })
  registration_open: boolean;

  @ApiProperty({ type: [String], example: ['zh', 'en'], description: '可提问的语言 / languages that questions may be asked in' })
  languages: string[];
}
