import { type Logger } from 'pino';
import { type Logger as OrmLogger } from 'typeorm';

/** Sends TypeORM's messages to the log of the process: statements with their placeholders, never the values. */
export class OrmLog implements OrmLogger {
  constructor(private readonly target: Logger) {}

  logQuery(sql: string): void {
    this.target.debug({ sql }, 'statement');
  }

  logQueryError(error: string | Error, sql: string): void {
    this.target.debug({ sql, cause: error }, 'statement failed');
  }

  logQuerySlow(ms: number, sql: string): void {
    this.target.warn({ sql, ms }, 'slow statement');
  }

  logSchemaBuild(message: string): void {
    this.target.debug(message);
  }

  logMigration(message: string): void {
    this.target.info(message);
  }

  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    this.target[level === 'warn' ? 'warn' : 'debug'](typeof message === 'string' ? message : 'TypeORM reports an object');
  }
}
