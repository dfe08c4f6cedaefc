import { ApiError, type ErrorText } from '../../common/errors/api-error.js';

/** Where in the query text something stands. `position` counts UTF-16 units from 0; line and column count from 1. */
export interface TextPlace {
  position: number;
  line: number;
  column: number;
}

export function placeOf(text: string, position: number): TextPlace {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { position, line: before.split('\n').length, column: position - lineStart + 1 };
}

/** Every 400 the Cypher compiler answers with. `position` points into the query text; null where there is no text to point into. */
export class CypherError extends ApiError {
  constructor(
    code: string,
    text: ErrorText,
    readonly place: TextPlace | null,
    context: Record<string, unknown> = {},
  ) {
    const at = place
      ? { zh: `（第 ${place.line} 行第 ${place.column} 列）`, en: ` (line ${place.line}, column ${place.column})` }
      : { zh: '', en: '' };
    super(400, code, { zh: text.zh + at.zh, en: text.en + at.en }, { context: { ...place, ...context } });
  }
}

/** The text is not a query: a wrong token, an unknown variable, a value where its type can never fit. */
export class CypherSyntaxError extends CypherError {
  constructor(text: ErrorText, place: TextPlace | null, context: Record<string, unknown> = {}) {
    super('cypher_syntax_error', text, place, context);
  }
}

/** The query writes, or calls a procedure. */
export class CypherReadOnlyError extends CypherError {
  constructor(feature: string, place: TextPlace) {
    super('cypher_read_only', { zh: `只能读取：不允许 ${feature}`, en: `Queries only read: ${feature} is not allowed` }, place, {
      feature,
    });
  }
}

/** openCypher that reads, and that this compiler does not build. */
export class CypherNotSupportedError extends CypherError {
  constructor(feature: string, place: TextPlace | null, hint: ErrorText = { zh: '', en: '' }) {
    super('cypher_not_supported', { zh: `暂不支持 ${feature}${hint.zh}`, en: `${feature} is not supported${hint.en}` }, place, { feature });
  }
}

export class MissingParameterError extends CypherError {
  constructor(name: string, place: TextPlace | null) {
    super('cypher_parameter_missing', { zh: `缺少参数 $${name}`, en: `Parameter $${name} is missing` }, place, { parameter: name });
  }
}

export class InvalidParameterError extends CypherError {
  constructor(name: string, reason: ErrorText, place: TextPlace | null) {
    super('cypher_parameter_invalid', { zh: `参数 $${name} ${reason.zh}`, en: `Parameter $${name} ${reason.en}` }, place, {
      parameter: name,
    });
  }
}
