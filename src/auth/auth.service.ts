import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { AuditService } from '../audit/audit.service.js';
import { Settings } from '../config/settings.js';
import { Quotas } from '../database/quotas.js';
import { toCaller, windowMs } from '../limits/charge.js';
import { LimiterService } from '../limits/limiter.service.js';
import { type Account, UsersService } from '../users/users.service.js';
import { type AccountResponse, type LoginResponse, type MeResponse, toAccountResponse } from './auth.dto.js';
import { RegistrationClosedError, WrongLoginError, WrongOldPasswordError } from './auth.errors.js';
import { type Principal } from '../access/principal.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly tokens: JwtService,
    private readonly settings: Settings,
    private readonly audit: AuditService,
    private readonly limiter: LimiterService,
    private readonly quotas: Quotas,
  ) {}

  async login(username: string, password: string): Promise<LoginResponse> {
    const user = await this.users.authenticate(username, password);
    if (!user) {
      // An unknown name may be a password typed into the wrong field, so it is not recorded. Every failed login looks the name up, so that
      // the response time does not reveal which names exist.
      const known = await this.users.findAccount(username);
      await this.audit.record({
        action: 'auth.login_failed',
        target: 'user',
        targetId: known?.id,
        context: known ? { username: known.username } : { unknown_username: true },
      });
      throw new WrongLoginError();
    }
    await this.audit.record({
      action: 'auth.login',
      actor: { userId: user.id, username: user.username },
      target: 'user',
      targetId: user.id,
    });
    return this.answerWithToken(user);
  }

  async register(username: string, password: string): Promise<AccountResponse> {
    if (!this.settings.registrationEnabled) throw new RegistrationClosedError();
    return toAccountResponse(await this.users.register(username, password));
  }

  /**
   * Describes the caller with the caller's limits. An API key has a rate limit of its own instead of its user's, and cannot create records
   * of which the number is limited. Admins may hold any number of records.
   */
  async describeWithLimits(principal: Principal): Promise<MeResponse> {
    const rates = await this.limiter.look(toCaller(principal));
    const held = principal.apiKey || principal.isAdmin ? [] : await this.quotas.ofUser(principal.userId);
    const limits = [
      ...rates.map(rate => ({ ...rate, window_seconds: windowMs / 1000 })),
      ...held.map(quota => ({ ...quota, window_seconds: null })),
    ];
    return { ...toAccountResponse(principal), limits };
  }

  /** Changes the caller's password. A new password ends every earlier token, so the answer carries a new token. */
  async changePassword(principal: Principal, oldPassword: string, newPassword: string): Promise<LoginResponse> {
    const user = await this.users.changePassword(principal, oldPassword, newPassword);
    if (!user) throw new WrongOldPasswordError();
    return this.answerWithToken(user);
  }

  logout(principal: Principal): Promise<void> {
    return this.users.logOut(principal);
  }

  private answerWithToken(user: Account): LoginResponse {
    const token = this.tokens.sign({ sub: String(user.id), tv: user.tokenVersion, jti: randomUUID() });
    return { ...toAccountResponse(user), token };
  }
}
