import { type FunctionName } from '../../semantics/functions.js';
import { maxValueBytes } from '../../values/bounds.js';
import { familyOf } from '../../values/value-type.js';
import { bounded, jsonBytes, textBytes } from './bounded-value.js';
import { written } from './compile-operators.js';
import { boolean, type Entity, jsonb, naming, numeric, type Sql, type SqlForms, type SqlValue, text } from './sql-value.js';

/** Compiles a call whose arguments have been checked by number and type. `position` is the call's, for errors at run time. */
type FunctionCompiler = (forms: SqlForms, args: SqlValue[], position: number) => Sql;

const numberLiteral = String.raw`^\s*[-+]?(\d{1,250}\.?\d{0,250}|\.\d{1,250})([eE][-+]?\d{1,2})?\s*$`;
const isoDate = String.raw`^\d{4}-\d{2}-\d{2}`;

const compilers: Record<FunctionName, FunctionCompiler> = {
  id: onElement(({ id }) => ({ form: 'numeric', sql: `(${id})::numeric`, int8: id })),
  elementid: onElement(({ id }) => text(`(${id})::text`)),
  labels: onElement(({ labels }) => jsonb(labels)),
  type: onElement(({ label }) => text(label)),
  properties: (forms, args) => jsonb(asMap(forms, first(args))),
  keys: compileKeys,
  coalesce: (forms, args) => jsonb(`coalesce(${args.map(arg => forms.json(arg)).join(', ')})`),
  exists: (forms, args) => boolean(`(${forms.any(first(args))} IS NOT NULL)`),
  size: compileSize,
  length: compileSize,
  head: (forms, args) => itemAt(forms, first(args), '0'),
  last: (forms, args) => itemAt(forms, first(args), '-1'),
  tolower: onText(x => `lower(${x})`),
  lower: onText(x => `lower(${x})`),
  toupper: onText(x => `upper(${x})`),
  upper: onText(x => `upper(${x})`),
  trim: onText(x => `btrim(${x})`),
  ltrim: onText(x => `ltrim(${x})`),
  rtrim: onText(x => `rtrim(${x})`),
  reverse: onText(x => `reverse(${x})`),
  left: onPart((x, n) => `left(${x}, greatest(${n}, 0))`),
  right: onPart((x, n) => `right(${x}, greatest(${n}, 0))`),
  substring: compileSubstring,
  replace: compileReplace,
  split: compileSplit,
  tostring: (forms, args) => text(written(forms, first(args))),
  tointeger: (forms, args) => toNumber(forms, first(args), 'integer'),
  tofloat: (forms, args) => toNumber(forms, first(args), 'float'),
  toboolean: compileToBoolean,
  abs: onNumber(x => `abs(${x})`),
  sign: onNumber(x => `sign(${x})`),
  ceil: onNumber(x => `ceil(${x})`),
  floor: onNumber(x => `floor(${x})`),
  // Halves round up, towards positive infinity, as openCypher has it. The numeric round() would go away from zero.
  round: compileRound,
  sqrt: onNumber(x => naming([x], n => `CASE WHEN ${n} >= 0 THEN sqrt(${n}) END`)),
  date: onText(x => naming([x], day => `CASE WHEN ${day} ~ '${isoDate}' THEN left(${day}, 10) END`)),
};

export function compileFunction(forms: SqlForms, name: FunctionName, args: SqlValue[], position: number): Sql {
  return compilers[name](forms, args, position);
}

function first([value]: SqlValue[]): SqlValue {
  if (!value) throw new Error('The arguments of a call are counted before it is compiled');
  return value;
}

function onElement(body: (element: Entity) => Sql): FunctionCompiler {
  return (_forms, args) => {
    const value = first(args);
    if (value.kind !== 'entity') throw new Error('Only nodes and edges are elements');
    return body(value.entity);
  };
}

function onText(body: (x: string) => string): FunctionCompiler {
  return (forms, args) => text(body(forms.text(first(args))));
}

function onNumber(body: (x: string) => string): FunctionCompiler {
  return (forms, args) => numeric(body(forms.numeric(first(args))));
}

function onPart(body: (x: string, n: string) => string): FunctionCompiler {
  return (forms, args) => {
    const operands = [forms.text(first(args)), count(forms, args[1])];
    return text(naming(operands, (x = '', n = '') => `CASE WHEN ${n} IS NOT NULL THEN ${body(x, n)} END`));
  };
}

/** A count of characters as int. A count beyond int is larger than any text. */
function count(forms: SqlForms, value: SqlValue | undefined): string {
  return `least(greatest(trunc(${value ? forms.numeric(value) : 'NULL::numeric'}), -1), 2000000000)::int`;
}

function asMap(forms: SqlForms, value: SqlValue): string {
  // Joining with an empty map unpacks a stored value, so that its unpacked size counts.
  if (value.kind === 'entity') return `(${value.entity.properties} || '{}'::jsonb)`;
  return naming([forms.json(value)], x => `CASE WHEN jsonb_typeof(${x}) = 'object' THEN ${x} END`);
}

function compileKeys(forms: SqlForms, args: SqlValue[]): Sql {
  const keys = (x: string) => `(SELECT coalesce(jsonb_agg(k), '[]') FROM jsonb_object_keys(${x}) AS k)`;
  return jsonb(naming([asMap(forms, first(args))], x => `CASE WHEN ${x} IS NOT NULL THEN ${keys(x)} END`));
}

function compileSize(forms: SqlForms, args: SqlValue[]): Sql {
  const value = first(args);
  if (familyOf(value.type) === 'string') return numeric(`length(${forms.text(value)})::numeric`);
  const sql = naming(
    [forms.json(value)],
    x => `CASE jsonb_typeof(${x}) WHEN 'array' THEN jsonb_array_length(${x}) WHEN 'string' THEN length(${x} #>> '{}') END::numeric`,
  );
  return numeric(`(${sql})`);
}

/** The item of a list, counted from 0, or from the end if below zero. Null outside the list. A JSON null becomes null. */
export function itemAt(forms: SqlForms, list: SqlValue, index: string): Sql {
  return jsonb(naming([forms.json(list)], x => `nullif(CASE WHEN jsonb_typeof(${x}) = 'array' THEN ${x} -> ${index} END, 'null'::jsonb)`));
}

function compileSubstring(forms: SqlForms, args: SqlValue[]): Sql {
  const [value, start, length] = args;
  const operands = [forms.text(value ?? first(args)), count(forms, start), ...(length ? [count(forms, length)] : [])];
  const body = (x: string, from: string, most?: string) =>
    `CASE WHEN ${from} >= 0 THEN ${most === undefined ? `substr(${x}, ${from} + 1)` : `CASE WHEN ${most} >= 0 THEN substr(${x}, ${from} + 1, ${most}) END`} END`;
  return text(naming(operands, (x = '', from = '', most?: string) => body(x, from, most)));
}

function compileReplace(forms: SqlForms, args: SqlValue[], position: number): Sql {
  const operands = args.map(arg => forms.text(arg));
  const sql = bounded({
    form: 'text',
    position,
    operands,
    // Counts the places only if the longest possible result would be too large.
    bytes: (x = '', from = '', to = '') => {
      const growth = `(octet_length(${to}) - octet_length(${from}))::int8`;
      const most = `octet_length(${x}) + greatest(${growth}, 0) * (octet_length(${x}) / greatest(octet_length(${from}), 1))`;
      const places = `(octet_length(${x}) - octet_length(replace(${x}, ${from}, ''))) / nullif(octet_length(${from}), 0)`;
      return `CASE WHEN ${most} <= ${maxValueBytes} THEN 0 ELSE octet_length(${x}) + ${growth} * coalesce(${places}, 0) END`;
    },
    body: (...names) => `replace(${names.join(', ')})`,
  });
  return text(sql);
}

/** Checks the text first, then its pieces: a megabyte of separators would make a much larger list. */
function compileSplit(forms: SqlForms, args: SqlValue[], position: number): Sql {
  const pieces = (...names: string[]) => `(SELECT string_to_array(${names.join(', ')}) AS pieces OFFSET 0) AS s`;
  const list = bounded({ form: 'jsonb', position, operands: ['s.pieces'], bytes: jsonBytes, body: x => `to_jsonb(${x})` });
  const sql = bounded({
    form: 'jsonb',
    position,
    operands: args.map(arg => forms.text(arg)),
    bytes: x => textBytes(x ?? ''),
    body: (...names) => `(SELECT ${list} FROM ${pieces(...names)})`,
  });
  return jsonb(sql);
}

function toNumber(forms: SqlForms, value: SqlValue, type: 'integer' | 'float'): Sql {
  const shape = type === 'integer' ? (x: string) => `trunc(${x})` : (x: string) => x;
  const family = familyOf(value.type);
  if (family === 'number') return numeric(shape(forms.numeric(value)));
  if (family === 'boolean') return numeric(type === 'integer' ? `(${forms.boolean(value)})::int::numeric` : 'NULL::numeric');
  const source = family === 'string' ? forms.text(value) : written(forms, value);
  return numeric(naming([source], x => `CASE WHEN ${x} ~ '${numberLiteral}' THEN ${shape(`(${x})::numeric`)} END`));
}

function compileToBoolean(forms: SqlForms, args: SqlValue[]): Sql {
  const source = written(forms, first(args));
  return boolean(naming([source], x => `CASE lower(btrim(${x})) WHEN 'true' THEN true WHEN 'false' THEN false END`));
}

function compileRound(forms: SqlForms, args: SqlValue[]): Sql {
  const [value, digits] = [forms.numeric(first(args)), args[1]];
  if (!digits) return numeric(`floor(${value} + 0.5)`);
  return numeric(`round(${value}, least(greatest(trunc(${forms.numeric(digits)}), -100), 100)::int)`);
}
