import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from './log.js';

/** Gives every feature the process's log. */
@Global()
@Module({})
export class LogModule {
  static with(log: Logger): DynamicModule {
    return { module: LogModule, providers: [{ provide: logToken, useValue: log }], exports: [logToken] };
  }
}
