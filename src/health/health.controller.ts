import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Public } from '../access/access.decorator.js';
import { Unread } from '../http/validation/unread.decorator.js';
import { Bucket } from '../limits/bucket.decorator.js';
import { HealthResponse, ReadinessResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('operations')
@Controller('health')
@Bucket('none')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public()
  @Unread()
  @ApiOperation({
    summary: '进程存活 / The process lives',
    description:
      '只说明进程有应答，不检查数据库；不计入限额。 / Says only that the process answers and asks no database; it counts against no limit.',
  })
  @ApiOkResponse({ type: HealthResponse })
  live(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @Unread()
  @ApiOperation({
    summary: '可以服务（数据库有应答，且未在停止） / Ready to serve: the database answers, and the service is not stopping',
    description: 'degraded：图查询暂不可用，其余照常 / degraded: queries of graphs are not available, everything else works',
  })
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiResponse({ status: 503, type: ReadinessResponse, description: '暂不接收请求 / Not ready for requests' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessResponse> {
    const report = await this.health.check();
    response.status(report.status === 'ok' || report.status === 'degraded' ? 200 : 503);
    return report;
  }
}
