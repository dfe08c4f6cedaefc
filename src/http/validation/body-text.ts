import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { type Request } from 'express';
import { SchemaError } from '../../common/errors/api-error.js';
import { findUnusableValues } from './find-unusable-values.js';

const texts = new WeakMap<Request, string>();

/** Keeps the text of a JSON body until its request is done, for fields with numbers that `JSON.parse` would change. */
export function keepBodyText(request: Request, text: string): void {
  texts.set(request, text);
}

const exactField = Symbol('exactField');

/** Marks a field of a route's body whose numbers may have any number of digits. The route reads this field from the text of the body. */
export const ExactNumbersIn = (name: string) => SetMetadata(exactField, name);

export function exactFieldOf(context: ExecutionContext): string | undefined {
  return Reflect.getMetadata(exactField, context.getHandler()) as string | undefined;
}

/**
 * The JSON text of a field of the body, as it was sent, so that `1.0` stays `1.0` and no digit is lost. Null if the body does not have the
 * field.
 * @throws SchemaError as `requireUsableTexts` does
 */
export const BodyFieldText = createParamDecorator((name: string, context: ExecutionContext): string | null => {
  const text = texts.get(context.switchToHttp().getRequest<Request>());
  const found = text === undefined ? null : fieldText(text, name);
  if (found !== null) requireUsableTexts(found, name);
  return found;
});

/**
 * Requires that PostgreSQL can store all texts of a field. The check needs the JSON text: from several fields with one name, the parsed
 * body contains only the last.
 * @throws SchemaError
 */
export function requireUsableTexts(json: string, name: string): void {
  for (const [text] of json.matchAll(token)) {
    // NUL and half of a surrogate pair are always written with an escape, because a body is UTF-8 and JSON has no raw control characters.
    if (!text.includes('\\u')) continue;
    const problems = findUnusableValues(JSON.parse(text), ['body', name]);
    if (problems.length > 0) throw new SchemaError(problems);
  }
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** The text of a field of a JSON object. If several fields have the name, the last counts, as in `JSON.parse`. */
export function fieldText(json: string, name: string): string | null {
  let [depth, start] = [0, -1];
  let key: string | null = null;
  let found: string | null = null;
  for (const { 0: text, index } of json.matchAll(token)) {
    if (text === '{' || text === '[') depth += 1;
    else if (depth === 1 && text === ':') start = index + 1;
    else if (depth === 1 && start < 0) key = text.startsWith('"') ? (JSON.parse(text) as string) : key;
    else if (depth === 1 && (text === ',' || text === '}')) {
      if (key === name) found = json.slice(start, index).trim();
      [key, start] = [null, -1];
    }
    if (text === '}' || text === ']') depth -= 1;
  }
  return found;
}
