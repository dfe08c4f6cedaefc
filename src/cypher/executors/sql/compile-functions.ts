import { bounded, jsonBytes, MAX_VALUE_BYTES, textBytes } from './bounded-value.js';
import { written } from './compile-operators.js';
import { isDate } from '../../semantics/time-text.js';
import { type ValueType } from '../../semantics/graph-schema.js';
import { familyOf, naming, type SqlForms, sqlValue, type SqlValue } from './sql-value.js';

/** What a call may look like, for a message that names it; and the SQL. Arguments arrive compiled and counted. */
interface FunctionDefinition {
  least: number;
  most: number;
  /** `position` is the call's, for errors at run time. */
  compile(forms: SqlForms, args: SqlValue[], position: number): SqlValue | null;
}

const NUMBER_LITERAL = String.raw`^\s*[-+]?(\d{1,250}\.?\d{0,250}|\.\d{1,250})([eE][-+]?\d{1,2})?\s*$`;
const ISO_DATE = String.raw`^\d{4}-\d{2}-\d{2}`;

/** openCypher functions by lower-case name. `compile` returns null where an argument can never fit. */
const FUNCTIONS = new Map<string, FunctionDefinition>([
  ['id', fixed(1, (_forms, [node]) => (node?.kind === 'entity' ? idValue(node.entity.id) : null))],
  ['elementid', fixed(1, (_forms, [node]) => (node?.kind === 'entity' ? sqlValue('string', 'text', `(${node.entity.id})::text`) : null))],
  [
    'labels',
    fixed(1, (_forms, [node]) =>
      node?.type === 'node' && node.kind === 'entity' ? sqlValue('list', 'jsonb', `jsonb_build_array(${node.entity.label})`) : null,
    ),
  ],
  [
    'type',
    fixed(1, (_forms, [edge]) => (edge?.type === 'edge' && edge.kind === 'entity' ? sqlValue('string', 'text', edge.entity.label) : null)),
  ],
  ['properties', fixed(1, (forms, [value]) => asMap(forms, value))],
  ['keys', fixed(1, compileKeys)],
  ['coalesce', { least: 1, most: 50, compile: compileCoalesce }],
  ['exists', fixed(1, (forms, [value]) => (value ? sqlValue('boolean', 'boolean', `(${forms.any(value)} IS NOT NULL)`) : null))],
  ['size', fixed(1, (forms, [value]) => compileSize(forms, value))],
  ['length', fixed(1, (forms, [value]) => compileSize(forms, value))],
  ['head', fixed(1, (forms, [list]) => element(forms, list, '0'))],
  ['last', fixed(1, (forms, [list]) => element(forms, list, '-1'))],
  ['tolower', onText(x => `lower(${x})`)],
  ['lower', onText(x => `lower(${x})`)],
  ['toupper', onText(x => `upper(${x})`)],
  ['upper', onText(x => `upper(${x})`)],
  ['trim', onText(x => `btrim(${x})`)],
  ['ltrim', onText(x => `ltrim(${x})`)],
  ['rtrim', onText(x => `rtrim(${x})`)],
  ['reverse', onText(x => `reverse(${x})`)],
  ['left', fixed(2, (forms, [text, count]) => onPart(forms, text, count, (x, n) => `left(${x}, greatest(${n}, 0))`))],
  ['right', fixed(2, (forms, [text, count]) => onPart(forms, text, count, (x, n) => `right(${x}, greatest(${n}, 0))`))],
  ['substring', { least: 2, most: 3, compile: compileSubstring }],
  ['replace', fixed(3, compileReplace)],
  ['split', fixed(2, compileSplit)],
  ['tostring', fixed(1, (forms, [value]) => (value && isScalar(value) ? sqlValue('string', 'text', written(forms, value)) : null))],
  ['tointeger', fixed(1, (forms, [value]) => toNumber(forms, value, 'integer'))],
  ['tofloat', fixed(1, (forms, [value]) => toNumber(forms, value, 'float'))],
  ['toboolean', fixed(1, compileToBoolean)],
  ['abs', onNumber(x => `abs(${x})`)],
  ['sign', onNumber(x => `sign(${x})`, 'integer')],
  ['ceil', onNumber(x => `ceil(${x})`, 'float')],
  ['floor', onNumber(x => `floor(${x})`, 'float')],
  // Half goes up, towards positive infinity: openCypher's rule, where numeric round() goes away from zero.
  ['round', { least: 1, most: 2, compile: compileRound }],
  ['sqrt', onNumber(x => naming([x], n => `CASE WHEN ${n} >= 0 THEN sqrt(${n}) END`), 'float')],
  ['date', fixed(1, compileDate)],
]);

export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

export function findFunction(name: string): FunctionDefinition | null {
  return FUNCTIONS.get(name.toLowerCase()) ?? null;
}

/** The day of a date, or of a date-time, in ISO 8601. */
function compileDate(forms: SqlForms, args: SqlValue[], position: number): SqlValue | null {
  const [value] = args;
  if (value?.kind === 'constant' && typeof value.value === 'string' && !isDate(value.value.replace(/T.*$/, ''))) return null;
  const day = (x: string) => naming([x], text => `CASE WHEN ${text} ~ '${ISO_DATE}' THEN left(${text}, 10) END`);
  return onText(day, 'date').compile(forms, args, position);
}

function fixed(count: number, compile: FunctionDefinition['compile']): FunctionDefinition {
  return { least: count, most: count, compile };
}

function onText(body: (x: string) => string, type: ValueType = 'string'): FunctionDefinition {
  return fixed(1, (forms, [value]) => (value && mayBe(value, 'string') ? sqlValue(type, 'text', body(forms.text(value))) : null));
}

function onNumber(body: (x: string) => string, type: ValueType | null = null): FunctionDefinition {
  return fixed(1, (forms, [value]) =>
    value && mayBe(value, 'number') ? sqlValue(type ?? numberType(value), 'numeric', body(forms.numeric(value))) : null,
  );
}

function numberType(value: SqlValue): ValueType {
  return value.type === 'any' ? 'number' : value.type;
}

function idValue(id: string): SqlValue {
  return { kind: 'sql', type: 'integer', form: 'numeric', sql: `(${id})::numeric`, int8: id };
}

function mayBe(value: SqlValue, ...families: string[]): boolean {
  return value.type === 'any' || families.includes(familyOf(value.type));
}

function isScalar(value: SqlValue): boolean {
  return mayBe(value, 'string', 'number', 'boolean');
}

function asMap(forms: SqlForms, value: SqlValue | undefined): SqlValue | null {
  // Joined with nothing, so that a stored value is unpacked and its size is the one that counts.
  if (value?.kind === 'entity') return sqlValue('map', 'jsonb', `(${value.entity.properties} || '{}'::jsonb)`);
  return value && mayBe(value, 'map')
    ? sqlValue(
        'map',
        'jsonb',
        naming([forms.json(value)], x => `CASE WHEN jsonb_typeof(${x}) = 'object' THEN ${x} END`),
      )
    : null;
}

function compileKeys(forms: SqlForms, [value]: SqlValue[]): SqlValue | null {
  const map = asMap(forms, value);
  if (map === null) return null;
  return sqlValue(
    'list',
    'jsonb',
    naming(
      [forms.json(map)],
      x => `CASE WHEN ${x} IS NOT NULL THEN (SELECT coalesce(jsonb_agg(k), '[]') FROM jsonb_object_keys(${x}) AS k) END`,
    ),
  );
}

function compileCoalesce(forms: SqlForms, args: SqlValue[]): SqlValue {
  const families = new Set(args.map(arg => familyOf(arg.type)));
  const [only] = families;
  const types = new Set(args.map(arg => arg.type));
  const type =
    types.size === 1
      ? (args[0]?.type ?? 'any')
      : families.size === 1 && only === 'number'
        ? 'number'
        : families.size === 1 && only === 'string'
          ? 'string'
          : 'any';
  if (args.length === 1 && args[0]) return args[0];
  return sqlValue(type === 'node' || type === 'edge' ? 'any' : type, 'jsonb', `coalesce(${args.map(arg => forms.json(arg)).join(', ')})`);
}

function compileSize(forms: SqlForms, value: SqlValue | undefined): SqlValue | null {
  if (!value || !mayBe(value, 'string', 'list')) return null;
  if (familyOf(value.type) === 'string') return sqlValue('integer', 'numeric', `length(${forms.text(value)})::numeric`);
  const sql = naming(
    [forms.json(value)],
    x => `CASE jsonb_typeof(${x}) WHEN 'array' THEN jsonb_array_length(${x}) WHEN 'string' THEN length(${x} #>> '{}') END::numeric`,
  );
  return sqlValue('integer', 'numeric', `(${sql})`);
}

function element(forms: SqlForms, list: SqlValue | undefined, index: string): SqlValue | null {
  return list && mayBe(list, 'list') ? elementAt(forms, list, index) : null;
}

/** The element of a list, counted from 0 or, below zero, from the end; null outside. A JSON null becomes null. */
export function elementAt(forms: SqlForms, list: SqlValue, index: string): SqlValue {
  return sqlValue(
    'any',
    'jsonb',
    naming([forms.json(list)], x => `nullif(CASE WHEN jsonb_typeof(${x}) = 'array' THEN ${x} -> ${index} END, 'null'::jsonb)`),
  );
}

/** A count of characters as int: what leaves int is further than any text reaches. */
function int(forms: SqlForms, value: SqlValue): string {
  return `least(greatest(trunc(${forms.numeric(value)}), -1), 2000000000)::int`;
}

function onPart(
  forms: SqlForms,
  text: SqlValue | undefined,
  count: SqlValue | undefined,
  body: (x: string, n: string) => string,
): SqlValue | null {
  if (!text || !count || !mayBe(text, 'string') || !mayBe(count, 'number')) return null;
  return sqlValue(
    'string',
    'text',
    naming([forms.text(text), int(forms, count)], (x, n) => `CASE WHEN ${n} IS NOT NULL THEN ${body(x, n)} END`),
  );
}

function compileSubstring(forms: SqlForms, [text, start, length]: SqlValue[]): SqlValue | null {
  if (!text || !start || !mayBe(text, 'string') || !mayBe(start, 'number')) return null;
  const operands = [forms.text(text), int(forms, start), ...(length ? [int(forms, length)] : [])];
  const body = (x: string, from: string, count?: string) =>
    `CASE WHEN ${from} >= 0 THEN ${count === undefined ? `substr(${x}, ${from} + 1)` : `CASE WHEN ${count} >= 0 THEN substr(${x}, ${from} + 1, ${count}) END`} END`;
  return sqlValue(
    'string',
    'text',
    naming(operands, (x = '', from = '', count?: string) => body(x, from, count)),
  );
}

function compileReplace(forms: SqlForms, args: SqlValue[], position: number): SqlValue {
  const operands = args.map(arg => forms.text(arg));
  const sql = bounded({
    form: 'text',
    position,
    operands,
    // Only where the longest result that is possible would be too large are the places counted.
    bytes: (x = '', from = '', to = '') => {
      const growth = `(octet_length(${to}) - octet_length(${from}))::int8`;
      const most = `octet_length(${x}) + greatest(${growth}, 0) * (octet_length(${x}) / greatest(octet_length(${from}), 1))`;
      const places = `(octet_length(${x}) - octet_length(replace(${x}, ${from}, ''))) / nullif(octet_length(${from}), 0)`;
      return `CASE WHEN ${most} <= ${MAX_VALUE_BYTES} THEN 0 ELSE octet_length(${x}) + ${growth} * coalesce(${places}, 0) END`;
    },
    body: (...names) => `replace(${names.join(', ')})`,
  });
  return sqlValue('string', 'text', sql);
}

/** The text is looked at first, and then its pieces: a megabyte of separators would make a much larger list. */
function compileSplit(forms: SqlForms, args: SqlValue[], position: number): SqlValue {
  const pieces = (...names: string[]) => `(SELECT string_to_array(${names.join(', ')}) AS pieces OFFSET 0) AS s`;
  const list = bounded({ form: 'jsonb', position, operands: ['s.pieces'], bytes: jsonBytes, body: x => `to_jsonb(${x})` });
  const sql = bounded({
    form: 'jsonb',
    position,
    operands: args.map(arg => forms.text(arg)),
    bytes: x => textBytes(x ?? ''),
    body: (...names) => `(SELECT ${list} FROM ${pieces(...names)})`,
  });
  return sqlValue('list', 'jsonb', sql);
}

function toNumber(forms: SqlForms, value: SqlValue | undefined, type: 'integer' | 'float'): SqlValue | null {
  if (!value || !isScalar(value)) return null;
  const shape = type === 'integer' ? (x: string) => `trunc(${x})` : (x: string) => x;
  const family = familyOf(value.type);
  if (family === 'number') return sqlValue(type, 'numeric', shape(forms.numeric(value)));
  const fromText = (x: string) => `CASE WHEN ${x} ~ '${NUMBER_LITERAL}' THEN ${shape(`(${x})::numeric`)} END`;
  if (family === 'string') return sqlValue(type, 'numeric', naming([forms.text(value)], fromText));
  if (family === 'boolean')
    return sqlValue(type, 'numeric', type === 'integer' ? `(${forms.boolean(value)})::int::numeric` : 'NULL::numeric');
  return sqlValue(type, 'numeric', naming([written(forms, value)], fromText));
}

function compileToBoolean(forms: SqlForms, [value]: SqlValue[]): SqlValue | null {
  if (!value || !isScalar(value)) return null;
  const sql = naming([written(forms, value)], x => `CASE lower(btrim(${x})) WHEN 'true' THEN true WHEN 'false' THEN false END`);
  return sqlValue('boolean', 'boolean', sql);
}

function compileRound(forms: SqlForms, [value, digits]: SqlValue[]): SqlValue | null {
  if (!value || !mayBe(value, 'number')) return null;
  if (!digits) return sqlValue('float', 'numeric', `floor(${forms.numeric(value)} + 0.5)`);
  return mayBe(digits, 'number')
    ? sqlValue('float', 'numeric', `round(${forms.numeric(value)}, least(greatest(trunc(${forms.numeric(digits)}), -100), 100)::int)`)
    : null;
}
