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
  @ApiOperation({ summary: '许可证状态 / The state of the licence' })
  @ApiOkResponse({ type: LicenseResponse })
  show(): LicenseResponse {
    return toLicenseResponse(this.licence.state());
  }
}
