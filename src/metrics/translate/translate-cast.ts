import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { castName, isConstant, type Node } from './constant-sql.js';
import { decimalOf } from './double-comparison.js';
import { type Translator } from './expression-context.js';
import {
  dateType,
  type IntegerType,
  integerType,
  type Kind,
  localType,
  numberType,
  textType,
  type Typed,
  widestInteger,
} from './target-dialect.js';
import { startOfDate } from './translate-call.js';
import { numberConstant, plainDecimal } from './tree-constants.js';

const castKinds: Readonly<Record<string, Kind>> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bigint: 'number',
  numeric: 'number',
  text: 'text',
  varchar: 'text',
  bool: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
};

const integerNames: Readonly<Record<string, IntegerType>> = { int2: 'smallint', int4: 'integer', int8: 'bigint', bigint: 'bigint' };

/** Maximum digits with which every number fits into the integer type. */
const surelyFits: Readonly<Record<IntegerType, number>> = { smallint: 4, integer: 9, bigint: 18 };

/** Translates a cast `x::type`. @throws NotInDialectError */
export function translateCast({ arg, typeName }: NodeFields, translator: Translator): Typed {
  const { dialect, values, translate, refuse } = translator;
  const type = castName(typeName);
  const { typmods } = typeName as NodeFields;
  if (typmods !== undefined && type !== 'numeric') return refuse(`a cast to ${type} of a length`);
  if (typmods !== undefined)
    return numeric(
      translate(arg),
      (typmods as unknown[]).map(each => Number(numberConstant(each))),
      translator,
    );
  const { ParamRef, TypeCast } = arg as Node;
  if (ParamRef) return translateParameter(values[Number(ParamRef.number) - 1], type, translator);
  if (type === 'numeric' && TypeCast && castName(TypeCast.typeName) === 'text') {
    const inner = translate(TypeCast.arg);
    if (inner.kind === 'number') return inner;
    const decimal = inner.kind === 'float' ? dialect.floatToDecimal(inner) : null;
    if (!decimal) return refuse('a column of floating-point numbers');
    const typed = { ...decimal, wasFloat: true };
    return inner.isSingle ? typed : decimalOf(inner.sql, typed);
  }
  const start = type === 'date' && !isConstant(arg) ? startOfDate(arg as Node, translator) : null;
  if (start) return start;
  const value = translate(arg);
  const same = castKinds[type];
  if (value.kind === 'null' && same) return { ...textType, kind: same, sql: 'NULL' };
  if (same === 'number' && value.kind === 'boolean' && type !== 'numeric')
    return { ...integerType('integer'), whole: 1, sql: `(CASE WHEN ${value.sql} THEN 1 WHEN NOT ${value.sql} THEN 0 END)` };
  if (same === 'number' && value.kind === 'number') {
    const integer = integerNames[type];
    if (!integer) return { ...value, integer, sql: dialect.toDecimal(value) };
    // A value that does not fit into the integer type is an error on PostgreSQL, so only values that fit are accepted.
    const fits = value.scale === 0 && (value.whole <= surelyFits[integer] || widestInteger([value, integerType(integer)]) === integer);
    if (fits) return { ...value, integer };
    const rounded = numeric(value, [surelyFits[integer], 0], translator);
    return { ...rounded, integer };
  }
  if (same === 'text' && value.integer) return { ...textType, sql: dialect.integerText(value.sql) };
  if (type === 'timestamp' && value.kind === 'date') return { ...localType, sql: dialect.dateToLocal(value.sql) };
  if (type === 'date' && value.kind === 'timestamp') return { ...dateType, sql: dialect.localToDate(value.sql) };
  return same === value.kind && same !== 'number' ? value : refuse(`a cast of ${value.kind} to ${type}`);
}

/**
 * Rounds a number to a precision and scale. Refuses a number that may have more digits before the point, which PostgreSQL reports as an
 * error.
 */
function numeric(value: Typed, [precision, scale = 0]: readonly number[], { dialect, refuse }: Translator): Typed {
  const digits = (precision ?? 0) - scale;
  const whole = value.whole + (scale < value.scale ? 1 : 0);
  if (value.kind !== 'number' || !(scale >= 0 && whole <= digits && scale <= dialect.mostScale))
    return refuse('a cast to a number of fewer digits');
  const type = numberType(whole, scale);
  const sql = scale < value.scale ? dialect.round(dialect.toDecimal(value), scale) : value.sql;
  return { ...type, sql: dialect.toDecimal({ ...type, sql }) };
}

/** Translates a parameter with a cast: the value as a constant of the type. */
export function translateParameter(value: unknown, type: string, { text, number, computed, condition, refuse }: Translator): Typed {
  if (type === 'bool' || type === 'boolean') return condition(String(value) === 'true' ? 'TRUE' : 'FALSE');
  const kind = castKinds[type];
  if (kind === 'number') return number(plainDecimal(String(value)));
  if (kind === 'text') return text(String(value));
  if (kind === undefined) return refuse(`a value of type ${type}`);
  const bound = { TypeCast: { arg: { A_Const: { sval: { sval: String(value) } } }, typeName: { names: [{ String: { sval: type } }] } } };
  return computed(bound, kind);
}
