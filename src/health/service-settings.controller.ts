import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../access/access.decorator.js';
import { ServiceSettingsResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('operations')
@Controller('settings')
export class ServiceSettingsController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public()
  @ApiOperation({
    summary: '版本、注册是否开放、语言 / Version, whether registration is open, languages',
    description: '客户端在登录前需要知道的设置，无需凭证。 / Settings that a client needs before a login; it takes no credential.',
  })
  @ApiOkResponse({ type: ServiceSettingsResponse })
  get(): ServiceSettingsResponse {
    return this.health.publicSettings();
  }
}
