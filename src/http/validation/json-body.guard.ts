import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import getRawBody from 'raw-body';
import { Settings } from '../../config/settings.js';
import { SchemaError } from '../../common/errors/api-error.js';
import {
  BadRequestError,
  BodyTooDeepError,
  CompressedBodyError,
  MalformedBodyError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
} from '../../common/errors/common-errors.js';
import { measureJson } from '../../common/json/measure-json.js';
import { isUnread } from './unread.decorator.js';

/**
 * `JSON.parse` takes hundreds of thousands of levels; what walks the result afterwards, `JSON.stringify` too, does not. Making and
 * checking the parts that a megabyte can hold would keep others waiting for half a second.
 */
const most = { depth: 64, parts: 20_000, commas: 100_000 };

/** What comes with these means nothing (RFC 9110, section 9.3) and stays unread. */
const bodiless = new Set(['GET', 'HEAD']);

/** How long a body may take to arrive. */
const bodyTimeoutMs = 30_000;

/**
 * Reads JSON bodies into `request.body`: one object in UTF-8, uncompressed, at most `MAX_BODY_BYTES`, 64 levels, 20,000
 * parts and 100,000 elements, here within 30 s. Other types are left for the route. A guard, so that nobody's body is read whom the guards before it refuse.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isUnread(context)) return true;
    if (!bodiless.has(request.method) && request.is(['application/json', 'application/*+json'])) {
      request.body = parseObject(await this.read(request), request.headers['content-type']);
    }
    return true;
  }

  /** @throws CompressedBodyError, BodyTooLargeError, RequestTimeoutError, or BadRequestError for a body that breaks off */
  private async read(request: Request): Promise<Buffer> {
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
    if (encoding.toLowerCase() !== 'identity') throw new CompressedBodyError();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new RequestTimeoutError()), bodyTimeoutMs);
    });
    try {
      return await Promise.race([getRawBody(request, { length, limit: this.settings.maxBodyBytes }), late]);
    } catch (error) {
      throw request.destroyed ? new BadRequestError() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * An empty body counts as `{}`: some clients name the type of a body that they do not send.
 * @throws UnsupportedMediaTypeError, MalformedBodyError, BodyTooDeepError, SchemaError
 */
function parseObject(body: Buffer, contentType = ''): object {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new UnsupportedMediaTypeError('application/json; charset=utf-8');
  const measure = measureJson(body, most);
  if (measure.depth > most.depth) throw new BodyTooDeepError(most.depth);
  if (measure.parts > most.parts || measure.commas > most.commas) throw tooManyParts();
  const value = body.length === 0 ? {} : parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedBodyError();
  return value;
}

function tooManyParts(): SchemaError {
  const text = {
    zh: `字段、列表与映射合计最多 ${most.parts} 个，列表元素合计最多 ${most.commas} 个`,
    en: `must have no more than ${most.parts} fields, lists and maps together, and ${most.commas} elements of lists`,
  };
  return new SchemaError([{ loc: ['body'], text, type: 'too_many' }]);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // V8's sentence quotes the body.
    throw new MalformedBodyError();
  }
}
