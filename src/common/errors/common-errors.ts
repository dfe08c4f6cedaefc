import { ApiError } from './api-error.js';

export class RouteNotFoundError extends ApiError {
  constructor() {
    super(404, 'route_not_found', { zh: '没有这个接口，请查看 /docs', en: 'There is no such endpoint; see /docs' });
  }
}

export class InternalError extends ApiError {
  constructor(cause: unknown) {
    super(500, 'internal_error', { zh: '服务器内部错误，请重试一两次', en: 'Internal server error; retry once or twice' }, { cause });
  }
}

export class DatabaseUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super(
      500,
      'database_unavailable',
      { zh: '数据库暂时不可用，请稍后重试', en: 'The database is unavailable for now; retry shortly' },
      { cause },
    );
  }
}

export class MalformedBodyError extends ApiError {
  constructor() {
    super(400, 'malformed_json', { zh: '请求体不是有效的 JSON 对象', en: 'The request body is not a valid JSON object' });
  }
}

export class MissingFieldsError extends ApiError {
  constructor(fields: string[]) {
    super(
      400,
      'missing_field',
      { zh: `缺少必填字段：${fields.join('、')}`, en: `Missing required field: ${fields.join(', ')}` },
      { context: { fields } },
    );
  }
}

export class BodyTooLargeError extends ApiError {
  constructor() {
    super(413, 'body_too_large', { zh: '请求体过大', en: 'The request body is too large' });
  }
}

export class UnsupportedMediaTypeError extends ApiError {
  constructor(expected: string) {
    super(415, 'unsupported_media_type', { zh: `Content-Type 应为 ${expected}`, en: `The Content-Type must be ${expected}` });
  }
}

export class BadRequestError extends ApiError {
  constructor() {
    super(400, 'bad_request', { zh: '请求无法读取', en: 'The request cannot be read' });
  }
}
