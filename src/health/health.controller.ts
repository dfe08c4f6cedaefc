import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Public } from '../access/access.decorator.js';
import { SkipLimits } from '../limits/bucket.decorator.js';
import { HealthResponse, ReadinessResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('operations')
@Controller('health')
@SkipLimits()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public()
  @ApiOperation({ summary: '进程存活 / The process lives' })
  @ApiOkResponse({ type: HealthResponse })
  live(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @ApiOperation({ summary: '可以服务（数据库可达） / Ready to serve (the database answers)' })
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiResponse({ status: 503, type: ReadinessResponse, description: '数据库不可达 / The database does not answer' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessResponse> {
    const report = await this.health.check();
    response.status(report.status === 'ok' ? 200 : 503);
    return report;
  }
}
