import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Request, type Response } from 'express';
import getRawBody from 'raw-body';
import { type Settings } from '../../config/settings.js';
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
import { BodyRoom } from './body-room.js';
import { keepBodyText } from './body-text.js';
import { hasStreamedBody } from './streamed-body.decorator.js';
import { isUnread } from './unread.decorator.js';
import { joinQuery, yamlBodyOf, yamlTypes } from './yaml-body.decorator.js';

/**
 * Limits on a JSON body. `JSON.parse` accepts hundreds of thousands of levels, but later steps, including `JSON.stringify`, do not. Parts
 * are lists, maps and fields of maps. Without a limit on parts, making and checking the parts of a body of a megabyte would hold up other
 * requests for half a second.
 */
const most = { depth: 64, parts: 20_000, commas: 100_000 };

/** Methods with which a body has no meaning (RFC 9110, section 9.3). Their bodies are not read. */
const bodiless = new Set(['GET', 'HEAD']);

/** From this many characters on, parsing a body takes some milliseconds. */
const largeBody = 100_000;

/** Milliseconds that a body may take to arrive. */
const bodyTimeoutMs = 30_000;

/**
 * Reads JSON bodies into `request.body`: one object in UTF-8, uncompressed, at most `MAX_BODY_BYTES`, 64 levels, 20,000 parts and
 * 100,000 elements, received within 30 s. A route that takes YAML gets its text as a field. Other types are left to the route. It is
 * a guard, not middleware, so that the body of a request that an earlier guard refuses is never read.
 */
export class RequestBodyGuard implements CanActivate {
  readonly room: BodyRoom;

  /** @param callerOf returns the name of the caller who sent a request */
  constructor(
    private readonly settings: Settings,
    private readonly callerOf: (request: Request) => string,
  ) {
    this.room = new BodyRoom(settings.maxBodyBytes);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (isUnread(context) || hasStreamedBody(context)) return true;
    const yaml = yamlBodyOf(context);
    const { 'content-type': type } = request.headers;
    if (!bodiless.has(request.method) && request.is(['application/json', 'application/*+json'])) {
      const { value: body, text } = parseObject(await this.read(request, response), type);
      keepBodyText(request, text);
      // Parsing and checking a large body in one turn of the event loop would block the process for twice as long as in two turns.
      if (text.length > largeBody) await nextTurn();
      request.body = yaml ? joinQuery(request, body, yaml) : body;
    } else if (yaml && request.is(yamlTypes)) {
      request.body = joinQuery(request, { [yaml.field]: readText(await this.read(request, response), yaml.field, type) }, yaml);
    }
    return true;
  }

  /**
   * Reads the whole body.
   * @throws CompressedBodyError, BodyTooLargeError, BodiesUnderWayError, RequestTimeoutError; BadRequestError for a body that breaks off
   */
  private async read(request: Request, response: Response): Promise<Buffer> {
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
    if (encoding.toLowerCase() !== 'identity') throw new CompressedBodyError();
    const { maxBodyBytes: limit } = this.settings;
    // A closed response means that the caller has disconnected, also if its pipelined request was still waiting for its turn. The event
    // `close`, which gives the room back, would not come again.
    if (response.closed) throw new BadRequestError();
    // A declared length beyond the limit is refused before any of the body is read.
    const room = this.room.take(this.callerOf(request), Math.min(Number(length ?? limit), limit));
    response.once('close', () => room.giveBack());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new RequestTimeoutError()), bodyTimeoutMs);
    });
    try {
      const body = await Promise.race([getRawBody(request, { length, limit }), late]);
      if (!response.closed) room.shrinkTo(body.length);
      return body;
    } catch (error) {
      throw request.destroyed ? new BadRequestError() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Parses a JSON body. An empty body counts as `{}`, because some clients name a content type without sending a body.
 * @throws UnsupportedMediaTypeError, MalformedBodyError, BodyTooDeepError, SchemaError
 */
function parseObject(body: Buffer, contentType: string | undefined): { value: object; text: string } {
  requireUtf8(contentType, 'application/json');
  const measure = measureJson(body, most);
  if (measure.depth > most.depth) throw new BodyTooDeepError(most.depth);
  if (measure.parts > most.parts || measure.commas > most.commas) throw tooManyParts();
  const { value, text } = body.length === 0 ? { value: {}, text: '{}' } : parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedBodyError();
  return { value, text };
}

/** Reads a body as the text of one field. @throws UnsupportedMediaTypeError; SchemaError for bytes that are not UTF-8 */
function readText(body: Buffer, field: string, contentType: string | undefined): string {
  requireUtf8(contentType, yamlTypes[0]!);
  try {
    return decodeUtf8(body);
  } catch {
    const text = { zh: '不是 UTF-8 文本，请存为 UTF-8', en: 'is not UTF-8; save the file as UTF-8' };
    throw new SchemaError([{ loc: ['body', field], text, type: 'not_utf8' }]);
  }
}

function requireUtf8(contentType = '', expected: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new UnsupportedMediaTypeError(`${expected}; charset=utf-8`);
}

function decodeUtf8(body: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(body);
}

function tooManyParts(): SchemaError {
  const text = {
    zh: `字段、列表与映射合计最多 ${most.parts} 个，列表元素合计最多 ${most.commas} 个`,
    en: `must have no more than ${most.parts} fields, lists and maps together, and ${most.commas} elements of lists`,
  };
  return new SchemaError([{ loc: ['body'], text, type: 'too_many' }]);
}

function parse(body: Buffer): { value: unknown; text: string } {
  try {
    const text = decodeUtf8(body);
    return { value: JSON.parse(text), text };
  } catch {
    // V8's own message would quote the body, so it is left out.
    throw new MalformedBodyError();
  }
}
