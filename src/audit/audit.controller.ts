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
    summary: '权限变更记录，最新在前 / Changes of access, newest first',
    description:
      '谁在何时改变了用户、密钥、成员、授权、连接、图、任务、指标、定时与网络钩子，装入或删除了表，导出了全部行；以及登录。request_id 即该请求应答的 X-Request-ID。 / Who changed users, keys, members, grants, connections, graphs, jobs, metrics, schedules and webhooks, loaded or dropped tables, or exported all rows, and when; and logins. request_id is the X-Request-ID of the answer.',
  })
  @ApiOkResponse({ type: PageOf(AuditEventResponse) })
  list(@Query() query: PageQuery): Promise<Page<AuditEventResponse>> {
    return this.audit.list(query);
  }
}
