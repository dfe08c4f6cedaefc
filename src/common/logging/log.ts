import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger } from 'pino';
import { currentRequest } from './request-context.js';
import { describeCause } from './describe-cause.js';
import { scrubber } from './scrub-secrets.js';

export interface LogOptions {
  /** Secrets of the environment; hidden wherever they turn up. */
  secrets?: readonly string[];
  /** Which process speaks, where there are several. */
  name?: string;
  /** Standard output unless a test reads along. */
  destination?: DestinationStream;
}

/**
 * Structured log on standard output; one JSON object a line, with the id of the request it belongs to. Errors go under
 * `cause` and come out as `describeCause` has them.
 */
export function createLog(level: string, { secrets = [], name, destination }: LogOptions = {}): Logger {
  const options = {
    level,
    base: name === undefined ? null : { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => {
      const request = currentRequest();
      return request ? { request_id: request.requestId } : {};
    },
    serializers: { cause: describeCause, err: describeCause },
    hooks: { streamWrite: scrubber(secrets) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Nest's own messages through the same log; its start-up chatter is of use only when debugging. */
export class FrameworkLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  private write(level: 'debug' | 'warn' | 'error', message: unknown, details: unknown[]): void {
    const source = typeof details.at(-1) === 'string' ? details.at(-1) : undefined;
    if (message instanceof Error) this.target[level]({ source, cause: message }, 'A part of the framework reports an error');
    else this.target[level]({ source }, typeof message === 'string' ? message : 'A part of the framework reports an object');
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
