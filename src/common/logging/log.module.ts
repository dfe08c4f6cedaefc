import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { LOG } from './log.js';

/** Gives every feature the process's log. */
@Global()
@Module({})
export class LogModule {
  static with(log: Logger): DynamicModule {
    return { module: LogModule, providers: [{ provide: LOG, useValue: log }], exports: [LOG] };
  }
}
