import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../access/access.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { AuditEventResponse } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@ApiTags('admin')
@Controller('audit-events')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @AdminOnly()
  @ApiOperation({
    summary: '权限变更记录，最新在前 / What changed access, newest first',
    description: '谁在何时改变了用户、成员、授权或密钥。 / Who changed users, members, grants or keys, and when.',
  })
  @ApiOkResponse({ type: PageOf(AuditEventResponse) })
  list(@Query() query: PageQuery): Promise<Page<AuditEventResponse>> {
    return this.audit.list(query);
  }
}
