import { type Bilingual, inBoth, type Phrase } from '../../text/bilingual.js';
import { LanguageError } from '../../text/language-error.js';
import { type Place, placeAt } from '../../text/place.js';

/** A place in the query text. `position` counts UTF-16 units from 0. */
export interface TextPlace extends Place {
  position: number;
}

export function placeOf(text: string, position: number): TextPlace {
  return { position, ...placeAt(text, position) };
}

/** Appends the place of an error to its sentence; returns the sentence alone if `place` is null. */
export function withPlace({ zh, en }: Bilingual, place: TextPlace | null): Bilingual {
  if (place === null) return { zh, en };
  const { line, column } = place;
  return { zh: `${zh}（第 ${line} 行第 ${column} 列）`, en: `${en} (line ${line}, column ${column})` };
}

/** Base class of the errors of parsing, compiling and running a Cypher query. */
export class CypherError extends LanguageError {
  /**
   * @param sentence the message without the place
   * @param place null for a tree built in code, which lacks a text
   */
  constructor(
    code: string,
    readonly sentence: Bilingual,
    place: TextPlace | null,
    facts: Record<string, unknown> = {},
  ) {
    super(code, withPlace(sentence, place), place, { ...place, ...facts });
  }
}

/** The text is not a query: a wrong token, an unknown variable, or a value whose type can never fit its place. */
export class CypherSyntaxError extends CypherError {
  /** @param detail openCypher's word for the error */
  constructor(
    sentence: Bilingual,
    place: TextPlace | null,
    facts: Record<string, unknown> = {},
    readonly detail = 'UnexpectedSyntax',
  ) {
    super('cypher_syntax_error', sentence, place, facts);
  }
}

/** The text nests deeper than any query may, however it is read. */
export class CypherTooDeepError extends CypherSyntaxError {}

/** A value at run time has a wrong type or is out of range for the operation that uses it. */
export class CypherValueError extends CypherError {
  /**
   * @param type openCypher's class of the error, such as `TypeError`
   * @param detail openCypher's name of the error, such as `InvalidArgumentValue`
   */
  constructor(
    readonly type: string,
    readonly detail: string,
    sentence: Bilingual,
    place: TextPlace | null,
  ) {
    super('cypher_value_error', sentence, place, { type, detail });
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

/** The query only reads, but uses a part of openCypher that this service does not support. */
export class CypherNotSupportedError extends CypherError {
  constructor(feature: Phrase, place: TextPlace | null, hint: Bilingual = { zh: '', en: '' }) {
    const { zh, en } = inBoth(feature);
    super('cypher_not_supported', { zh: `暂不支持 ${zh}${hint.zh}`, en: `${en} is not supported${hint.en}` }, place, { feature: en });
  }
}

export class MissingParameterError extends CypherError {
  constructor(name: string, place: TextPlace | null) {
    super('cypher_parameter_missing', { zh: `缺少参数 $${name}`, en: `Parameter $${name} is missing` }, place, { parameter: name });
  }
}

export class InvalidParameterError extends CypherError {
  constructor(name: string, reason: Bilingual, place: TextPlace | null) {
    super('cypher_parameter_invalid', { zh: `参数 $${name} ${reason.zh}`, en: `Parameter $${name} ${reason.en}` }, place, {
      parameter: name,
    });
  }
}
