import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Settings } from '../config/settings.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenPrincipals } from './token-principals.js';
import { TokenKey, TokenKeyModule, tokenAlgorithm, tokenAudience, tokenIssuer } from '../access/token-key.js';

@Module({
  imports: [
    UsersModule,
    PassportModule,
    TokenKeyModule,
    JwtModule.registerAsync({
      imports: [TokenKeyModule],
      inject: [TokenKey, Settings],
      useFactory: (key: TokenKey, { jwtExpireSeconds }: Settings) => ({
        secretOrKeyProvider: () => key.object,
        signOptions: { algorithm: tokenAlgorithm, expiresIn: jwtExpireSeconds, issuer: tokenIssuer, audience: tokenAudience },
      }),
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, JwtStrategy, TokenPrincipals],
  exports: [TokenPrincipals],
})
export class AuthModule {}
