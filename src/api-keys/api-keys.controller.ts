import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { ApiKeyResponse, CreateApiKeyRequest, NewApiKeyResponse } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('api-keys')
@Controller('api-keys')
@Authenticated()
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @ApiOperation({
    summary: '我的密钥 / My keys',
    description: '只显示前缀，不显示密钥本身。 / With their prefixes; the keys themselves are never shown again.',
  })
  @ApiOkResponse({ type: PageOf(ApiKeyResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQuery): Promise<Page<ApiKeyResponse>> {
    return this.keys.list(principal, query);
  }

  @Post()
  @Idempotent({ secret: 'raw_key' })
  @ApiOperation({
    summary: '创建密钥；raw_key 仅显示一次 / Create a key; raw_key is shown once',
    description:
      '密钥以 X-API-Key 发送，只能使用所列的图；tables:write 另可上传表。 / Send the key as X-API-Key; it opens only the graphs that are listed, and with tables:write it also loads tables.',
  })
  @ApiCreatedResponse({ type: NewApiKeyResponse })
  @ApiResponse({
    status: 409,
    description: '有效的密钥过多，或合计的每分钟请求数过多 / too many keys in force, or too many requests a minute of all of them',
  })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateApiKeyRequest): Promise<NewApiKeyResponse> {
    return this.keys.create(principal, body);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: '换新密钥，旧的立即失效 / A new secret; the old one fails at once',
    description: '名称、图、权限与期限不变。 / Its name, graphs, permissions and expiry stay.',
  })
  @ApiOkResponse({ type: NewApiKeyResponse })
  rotate(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<NewApiKeyResponse> {
    return this.keys.rotate(principal, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: '吊销密钥 / Revoke a key',
    description: '立即失效，不能恢复；管理员可吊销任何人的密钥。 / It fails at once and for good; an admin may revoke anyone’s.',
  })
  @ApiNoContentResponse()
  revoke(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.keys.revoke(principal, id);
  }
}
