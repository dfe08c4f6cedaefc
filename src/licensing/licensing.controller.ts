import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../access/access.decorator.js';
import { LicenceVerifier } from './licence.verifier.js';
import { LicenseResponse, toLicenseResponse } from './licensing.dto.js';

@ApiTags('operations')
@Controller('license')
export class LicensingController {
  constructor(private readonly licence: LicenceVerifier) {}

  @Get()
  @AdminOnly()
  @ApiOperation({
    summary: '许可证状态 / The state of the licence',
    description: '许可证是否检查、检查结果与到期时间。 / Whether the licence is checked, what the check found, and when it ends.',
  })
  @ApiOkResponse({ type: LicenseResponse })
  show(): LicenseResponse {
    return toLicenseResponse(this.licence.state());
  }
}
