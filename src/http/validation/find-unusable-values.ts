import { type FieldProblem } from '../../common/errors/api-error.js';

const maxProblems = 20;
const maxNameLength = 100;

/**
 * The most fields of one object. The time of class-transformer grows with the square of the number of fields: it takes seconds for the
 * hundred thousand fields that a megabyte holds.
 */
const maxNames = 1_000;
const reserved = new Set(['__proto__', 'constructor']);

/**
 * JSON writes integers from this value on with an exponent. A number of this size is an approximate magnitude, so it is not refused for
 * being inexact.
 */
const leastExponential = 1e21;

/**
 * Finds values that no field of any route can take, with their places:
 * - NUL and lone surrogates, which neither `text` nor `jsonb` of PostgreSQL can store.
 * - Numbers that a double cannot represent exactly: 1e400, and integers beyond 2^53 - 1, which would name another record.
 * - The name `__proto__`, which plain assignment turns into a prototype.
 * - The name `constructor`, which class-transformer takes for the class of the value.
 * - Objects of more than 1,000 fields.
 * @param value parsed JSON, nested no deeper than the body parser allows
 * @param loc the place of `value` in the request, such as `['body']`
 * @param exactField the name of a field of `value` whose numbers the route reads from the text; these numbers are not checked
 * @returns at most 20 problems
 */
export function findUnusableValues(value: unknown, loc: (string | number)[], exactField?: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(value, [...loc], problems, exactField === undefined ? null : { at: loc.length, field: exactField });
  return problems;
}

/**
 * The name of the field whose numbers are not checked, and the index in `loc` at which the name stands; null if all numbers are checked.
 */
type Exact = { at: number; field: string } | null;

/**
 * Checks a value and all values in it. The whole walk shares one list `loc`, and only a problem copies it, because most bodies have many
 * values and no problem.
 */
function visit(value: unknown, loc: (string | number)[], problems: FieldProblem[], exact: Exact): void {
  if (typeof value === 'string') checkText(value, loc, problems);
  else if (typeof value === 'number') {
    if (exact === null || loc[exact.at] !== exact.field) checkNumber(value, loc, problems);
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length && problems.length < maxProblems; index++) {
      loc.push(index);
      visit(value[index], loc, problems, exact);
      loc.pop();
    }
  } else if (typeof value === 'object' && value !== null) visitFields(value as Record<string, unknown>, loc, problems, exact);
}

function visitFields(fields: Record<string, unknown>, loc: (string | number)[], problems: FieldProblem[], exact: Exact): void {
  const names = Object.keys(fields);
  if (names.length > maxNames) {
    problems.push({
      loc: written(loc),
      text: { zh: `最多 ${maxNames} 个字段`, en: `must have no more than ${maxNames} fields` },
      type: 'too_many',
    });
    return;
  }
  for (const name of names) {
    if (problems.length >= maxProblems) return;
    loc.push(name);
    checkText(name, loc, problems);
    if (reserved.has(name)) {
      problems.push({ loc: written(loc), text: { zh: '不能用作字段名', en: 'must not be the name of a field' }, type: 'reserved_name' });
    } else visit(fields[name], loc, problems, exact);
    loc.pop();
  }
}

/** The place as an answer shows it: names are shortened, and characters that an answer cannot contain are replaced. */
function written(loc: (string | number)[]): (string | number)[] {
  return loc.map(step => (typeof step === 'number' ? step : step.slice(0, maxNameLength).toWellFormed().replaceAll('\0', '\uFFFD')));
}

function checkText(text: string, loc: (string | number)[], problems: FieldProblem[]): void {
  if (text.includes('\0'))
    problems.push({ loc: written(loc), text: { zh: '不能包含 NUL 字符', en: 'must not contain NUL' }, type: 'nul_character' });
  if (!text.isWellFormed()) {
    problems.push({
      loc: written(loc),
      text: { zh: '含有不成对的代理码元', en: 'holds half of a surrogate pair' },
      type: 'lone_surrogate',
    });
  }
}

function checkNumber(value: number, loc: (string | number)[], problems: FieldProblem[]): void {
  if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= leastExponential)) return;
  problems.push({
    loc: written(loc),
    text: {
      zh: '超出能精确表示的范围（±(2^53 − 1)），请以字符串发送',
      en: 'beyond ±(2^53 - 1), where numbers are not exact; send it as a string',
    },
    type: 'number_out_of_range',
  });
}
