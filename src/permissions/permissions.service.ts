import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { type GraphRole } from '../access/access.decorator.js';
import { type Principal } from '../access/principal.js';
import { afterId, page, type Page, type PageQuery } from '../http/paging/page.js';
import { Quotas } from '../database/quotas.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { OneUserExpectedError } from '../users/users.errors.js';
import { UsersService } from '../users/users.service.js';
import { type GrantRequest, type MemberResponse, toMemberResponse } from './permissions.dto.js';
import { MemberNotFoundError, OwnerIsNoMemberError, UserIdForAdminsError } from './permissions.errors.js';
import { PermissionsRepository } from './permissions.repository.js';

@Injectable()
export class PermissionsService {
  constructor(
    private readonly members: PermissionsRepository,
    private readonly access: GraphAccessService,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly quotas: Quotas,
  ) {}

  async list(graphId: number, { limit, cursor }: PageQuery): Promise<Page<MemberResponse>> {
    const rows = await this.members.list(graphId, afterId(cursor), limit + 1);
    return page(rows.map(toMemberResponse), limit, member => member.user_id);
  }

  /**
   * Makes a user a member of a graph, or changes the role of a member. `created` is true for a new member.
   * @throws QuotaReachedError
   */
  async grant(
    actor: Principal,
    graphId: number,
    { user_id, username, role }: GrantRequest,
  ): Promise<{ created: boolean; member: MemberResponse }> {
    if ((user_id === undefined) === (username === undefined)) throw new OneUserExpectedError();
    if (user_id !== undefined && !actor.isAdmin) throw new UserIdForAdminsError();
    const user = await this.users.getAccount(user_id ?? username!);
    if (await this.access.isOwner(user.id, graphId)) throw new OwnerIsNoMemberError();
    const context = { user: user.username, role };
    const isNew = (await this.members.find(graphId, user.id)) === null;
    const created = await this.audit.recordWith(
      async client => {
        if (isNew) await this.quotas.ask(client, 'members', graphId, actor);
        return this.members.grant(client, graphId, user.id, role);
      },
      created => ({ action: created ? 'member.granted' : 'member.changed', actor, target: 'graph', targetId: graphId, context }),
    );
    return { created, member: await this.get(graphId, user.id) };
  }

  async changeRole(actor: Principal, graphId: number, userId: number, role: GraphRole): Promise<MemberResponse> {
    const { username } = await this.get(graphId, userId);
    await this.audit.recordWith(
      client => this.members.changeRole(client, graphId, userId, role),
      () => ({ action: 'member.changed', actor, target: 'graph', targetId: graphId, context: { user: username, role } }),
    );
    return this.get(graphId, userId);
  }

  async revoke(actor: Principal, graphId: number, userId: number): Promise<void> {
    const { username } = await this.get(graphId, userId);
    await this.audit.recordWith(
      client => this.members.revoke(client, graphId, userId),
      () => ({ action: 'member.revoked', actor, target: 'graph', targetId: graphId, context: { user: username } }),
    );
  }

  private async get(graphId: number, userId: number): Promise<MemberResponse> {
    const row = await this.members.find(graphId, userId);
    if (!row) throw new MemberNotFoundError();
    return toMemberResponse(row);
  }
}
