import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { type Principal } from '../access/principal.js';
import { afterId, page, type Page, type PageQuery } from '../http/paging/page.js';
import { PasswordHasher } from './password-hasher.js';
import { type CreateUserRequest, toUserResponse, type UpdateUserRequest, type UserResponse } from './users.dto.js';
import { UserNotFoundError } from './users.errors.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** The operations on accounts that only admins may call. */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly users: UsersRepository,
    private readonly accounts: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditService,
  ) {}

  async list({ limit, cursor }: PageQuery): Promise<Page<UserResponse>> {
    const rows = await this.users.list(afterId(cursor), limit + 1);
    return page(rows.map(toUserResponse), limit, user => user.id);
  }

  async get(id: number): Promise<UserResponse> {
    const user = await this.users.findById(id);
    if (!user) throw new UserNotFoundError(id);
    return toUserResponse(user);
  }

  async create(actor: Principal, { username, is_admin: isAdmin }: CreateUserRequest): Promise<UserResponse> {
    const passwordHash = await this.hasher.hash(this.accounts.defaultPassword(username));
    const id = await this.audit.recordWith(
      client => this.users.create(client, { username, passwordHash, isAdmin, mustChangePassword: true }),
      id => ({ action: 'user.created', actor, target: 'user', targetId: id, context: { username, is_admin: isAdmin } }),
    );
    return this.get(id);
  }

  /** @throws LastAdminError */
  async change(actor: Principal, id: number, { is_admin: isAdmin, disabled }: UpdateUserRequest): Promise<UserResponse> {
    const before = await this.get(id);
    // A change ends the user's tokens, so a request that changes nothing returns without a change.
    if ((isAdmin ?? before.is_admin) === before.is_admin && (disabled ?? before.disabled) === before.disabled) return before;
    await this.audit.recordWith(
      client => this.users.change(client, id, { isAdmin, disabled }),
      () => ({ action: 'user.changed', actor, target: 'user', targetId: id, context: { is_admin: isAdmin, disabled } }),
    );
    return this.get(id);
  }

  async resetPassword(actor: Principal, id: number): Promise<UserResponse> {
    const { username } = await this.get(id);
    const passwordHash = await this.hasher.hash(this.accounts.defaultPassword(username));
    await this.audit.recordWith(
      client => this.users.resetPassword(client, id, passwordHash),
      () => ({ action: 'user.password_reset', actor, target: 'user', targetId: id }),
    );
    return this.get(id);
  }

  /** @throws LastAdminError, UserOwnsGraphsError */
  async delete(actor: Principal, id: number): Promise<void> {
    const { username } = await this.get(id);
    await this.audit.recordWith(
      client => this.users.delete(client, id),
      () => ({ action: 'user.deleted', actor, target: 'user', targetId: id, context: { username } }),
    );
  }
}
