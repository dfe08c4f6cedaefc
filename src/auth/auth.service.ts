import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Settings } from '../config/settings.js';
import { type Account, UsersService } from '../users/users.service.js';
import { type AccountResponse, type LoginResponse, toAccountResponse } from './auth.dto.js';
import { RegistrationClosedError, WrongLoginError, WrongOldPasswordError } from './auth.errors.js';
import { type Principal } from './principal.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly tokens: JwtService,
    private readonly settings: Settings,
  ) {}

  async login(username: string, password: string): Promise<LoginResponse> {
    const user = await this.users.authenticate(username, password);
    if (!user) throw new WrongLoginError();
    return this.answerWithToken(user);
  }

  async register(username: string, password: string): Promise<AccountResponse> {
    if (!this.settings.registrationEnabled) throw new RegistrationClosedError();
    return toAccountResponse(await this.users.register(username, password));
  }

  /** Ends every earlier token, so the answer carries a fresh one. */
  async changePassword(principal: Principal, oldPassword: string, newPassword: string): Promise<LoginResponse> {
    const user = await this.users.changePassword(principal, oldPassword, newPassword);
    if (!user) throw new WrongOldPasswordError();
    return this.answerWithToken(user);
  }

  logout(principal: Principal): Promise<void> {
    return this.users.endTokens(principal.userId);
  }

  private answerWithToken(user: Account): LoginResponse {
    const token = this.tokens.sign({ sub: String(user.id), tv: user.tokenVersion, jti: randomUUID() });
    return { ...toAccountResponse(user), token };
  }
}
