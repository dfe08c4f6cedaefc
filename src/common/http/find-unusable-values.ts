import { type FieldProblem } from '../errors/api-error.js';

const maxProblems = 20;
const maxNameLength = 100;
const reserved = new Set(['__proto__', 'constructor']);

/** Integers from here on are written with an exponent: who sends one means a magnitude, not digits. */
const leastExponential = 1e21;

/**
 * Values that no field of any route can take, with where they are: NUL and lone surrogates, which neither `text` nor `jsonb`
 * of PostgreSQL stores; numbers that JSON carried but a double did not (1e400, integers beyond 2^53 - 1, which would name
 * another record); and as names `__proto__`, which plain assignment makes a prototype of, and `constructor`, which
 * class-transformer takes for the class of the value.
 *
 * @param value parsed JSON, nested no deeper than the body parser lets through
 * @param loc of the value itself, such as `['body']`
 * @returns at most 20 problems
 */
export function findUnusableValues(value: unknown, loc: (string | number)[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(value, loc, problems);
  return problems;
}

function visit(value: unknown, loc: (string | number)[], problems: FieldProblem[]): void {
  if (problems.length >= maxProblems) return;
  if (typeof value === 'string') checkText(value, loc, problems);
  else if (typeof value === 'number') checkNumber(value, loc, problems);
  else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...loc, index], problems));
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const place = [...loc, name.slice(0, maxNameLength).toWellFormed().replaceAll('\0', '\uFFFD')];
      checkText(name, place, problems);
      if (reserved.has(name)) problems.push({ loc: place, msg: '不能用作字段名 / must not be the name of a field', type: 'reserved_name' });
      else visit(inner, place, problems);
    }
  }
}

function checkText(text: string, loc: (string | number)[], problems: FieldProblem[]): void {
  if (text.includes('\0')) problems.push({ loc, msg: '不能包含 NUL 字符 / must not contain NUL', type: 'nul_character' });
  if (!text.isWellFormed()) {
    problems.push({ loc, msg: '含有不成对的代理码元 / holds half of a surrogate pair', type: 'lone_surrogate' });
  }
}

function checkNumber(value: number, loc: (string | number)[], problems: FieldProblem[]): void {
  if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= leastExponential)) return;
  problems.push({
    loc,
    msg: '超出能精确表示的范围（±(2^53 − 1)），请以字符串发送 / beyond ±(2^53 - 1), where numbers are not exact; send it as a string',
    type: 'number_out_of_range',
  });
}
