import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { logToken } from '../common/logging/log.js';
import { builtInPasswordPattern, Settings } from '../config/settings.js';
import { PasswordHasher } from './password-hasher.js';
import { requireStrongPassword } from './password-rules.js';
import { type User } from './user.entity.js';
import { TokenEndedError, UserNotFoundError, WeakPasswordError } from './users.errors.js';
import { type AccountInGraph, type AccountState, UsersRepository } from './users.repository.js';

export const firstAdmin = 'admin';

/** The fields of a user that other features see. */
export type Account = Pick<User, 'id' | 'username' | 'isAdmin' | 'mustChangePassword' | 'tokenVersion'>;

@Injectable()
export class UsersService implements OnApplicationBootstrap {
  constructor(
    private readonly users: UsersRepository,
    private readonly hasher: PasswordHasher,
    private readonly settings: Settings,
    private readonly audit: AuditService,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const namesakes = await this.users.fillNormalNames();
    if (namesakes.length > 0)
      this.log.warn({ usernames: namesakes }, 'Some users have names that differ from an older one only in case or spelling');
    if (await this.users.existsAdmin()) return;
    const passwordHash = await this.hasher.hash(this.firstPassword());
    await this.audit.recordWith(
      client => this.users.createFirstAdmin(client, firstAdmin, passwordHash),
      id =>
        id === null ? null : { action: 'user.created', target: 'user', targetId: id, context: { username: firstAdmin, is_admin: true } },
    );
  }

  /**
   * The login of the first admin for the start-up message; null once that admin has changed the password. The password in the result is
   * null when it was set by configuration.
   */
  async findFirstLogin(): Promise<{ username: string; password: string | null } | null> {
    const admin = await this.users.findByUsername(firstAdmin);
    if (!admin?.mustChangePassword) return null;
    const { adminInitialPassword, defaultPasswordPattern } = this.settings;
    const isPublic = adminInitialPassword === undefined && defaultPasswordPattern === builtInPasswordPattern;
    return { username: firstAdmin, password: isPublic ? this.firstPassword() : null };
  }

  findAccountState(id: number): Promise<AccountState | null> {
    return this.users.findAccountState(id);
  }

  findAccountInGraph(id: number, graphId: number): Promise<AccountInGraph | null> {
    return this.users.findAccountInGraph(id, graphId);
  }

  findAccount(username: string): Promise<Account | null> {
    return this.users.findByUsername(username);
  }

  /**
   * The user with this name and password. An unknown name, a disabled user and a wrong password all give null, after the same amount of
   * work.
   */
  async authenticate(username: string, password: string): Promise<Account | null> {
    const user = await this.users.findByUsername(username);
    const usable = user?.disabledAt === null ? user : null;
    const matches = await this.hasher.verify(password, usable?.passwordHash);
    if (!usable || !matches) return null;
    if (this.hasher.isOutdated(usable.passwordHash)) await this.renewHash(usable, password);
    return usable;
  }

  /**
   * Stores the password with the current cost. If the hashing queue is full, this is left to the next login, because a right password must
   * not be refused.
   */
  private async renewHash({ id, passwordHash }: User, password: string): Promise<void> {
    try {
      await this.users.rehash(id, passwordHash, await this.hasher.hash(password));
    } catch (cause) {
      this.log.warn({ cause }, 'A password could not be hashed again at the current cost');
    }
  }

  /** @throws WeakPasswordError, UsernameTakenError */
  async register(username: string, password: string): Promise<Account> {
    requireStrongPassword('password', password, username, this.defaultPassword(username));
    const passwordHash = await this.hasher.hash(password);
    const id = await this.audit.recordWith(
      client => this.users.create(client, { username, passwordHash, isAdmin: false, mustChangePassword: false }),
      id => ({ action: 'user.registered', actor: { userId: id, username }, target: 'user', targetId: id }),
    );
    return this.getAccount(id);
  }

  /**
   * Changes the password of the caller. Returns null when `oldPassword` is wrong.
   * @throws WeakPasswordError; TokenEndedError when the caller's token has ended meanwhile.
   */
  async changePassword(actor: Principal, oldPassword: string, newPassword: string): Promise<Account | null> {
    const user = await this.users.findById(actor.userId);
    if (user?.tokenVersion !== actor.tokenVersion) throw new TokenEndedError();
    if (!(await this.hasher.verify(oldPassword, user.passwordHash))) return null;
    requireStrongPassword('new_password', newPassword, user.username, this.defaultPassword(user.username));
    if (newPassword === oldPassword) {
      throw new WeakPasswordError('new_password', '新密码不能与旧密码相同', 'the new password must differ from the old one');
    }
    const passwordHash = await this.hasher.hash(newPassword);
    const tokenVersion = await this.audit.recordWith(
      client => this.users.changePassword(client, user.id, user.tokenVersion, passwordHash),
      () => ({ action: 'auth.password_changed', actor, target: 'user', targetId: user.id }),
    );
    return { ...user, mustChangePassword: false, tokenVersion };
  }

  /** Finds a user by id or by name. @throws UserNotFoundError */
  async getAccount(user: number | string): Promise<Account> {
    const found = typeof user === 'number' ? await this.users.findById(user) : await this.users.findByUsername(user);
    if (!found) throw new UserNotFoundError(user);
    return found;
  }

  /** Ends all tokens of the caller. */
  async logOut(actor: Principal): Promise<void> {
    await this.audit.recordWith(
      client => this.users.endTokens(client, actor.userId),
      () => ({ action: 'auth.logout', actor, target: 'user', targetId: actor.userId }),
    );
  }

  private firstPassword(): string {
    return this.settings.adminInitialPassword ?? this.defaultPassword(firstAdmin);
  }

  defaultPassword(username: string): string {
    return this.settings.defaultPasswordPattern.replaceAll('{username}', () => username);
  }
}
