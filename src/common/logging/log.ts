import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger } from 'pino';
import { currentRequest } from './request-context.js';
import { describeCause } from './describe-cause.js';
import { scrubber } from './scrub-secrets.js';

export interface LogOptions {
  /** Secrets from the environment, hidden wherever they appear. */
  secrets?: readonly string[];
  /** The name of the process in its log lines, given when several processes write to one log. */
  name?: string;
  /** The stream to write to. Standard output by default; tests pass another stream. */
  destination?: DestinationStream;
}

/**
 * Creates a structured log on standard output: one JSON object a line, with the id of the request that the line belongs to. An error under
 * `cause` is logged as `describeCause` describes it.
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

/** Sends the messages of Nest itself to the process's log. Its start-up messages only appear at level debug. */
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

/** The injection token of the process's log. */
export const logToken = Symbol('log');
