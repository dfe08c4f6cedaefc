import { type LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

/** Structured log on standard output; one JSON object a line. */
export function createLog(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}

/** Nest's own messages through the same log; its start-up chatter is of use only when debugging. */
export class FrameworkLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  private write(level: 'debug' | 'warn' | 'error', message: unknown, details: unknown[]): void {
    this.target[level]({ source: details.at(-1) }, message instanceof Error ? (message.stack ?? message.message) : String(message));
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }
  log(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }
  warn(message: unknown, ...details: unknown[]): void {
    this.write('warn', message, details);
  }
  error(message: unknown, ...details: unknown[]): void {
    this.write('error', message, details);
  }
}

/** Injection token of the process's log. */
export const LOG = Symbol('log');
