import { isTimeZone } from '../../text/time-zone.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { type CalendarGrain } from '../formula/formula-tree.js';
import { functionName, type Node } from './constant-sql.js';
import { decimalOf, doubleOf } from './double-comparison.js';
import { type Translator } from './expression-context.js';
import { dateType, localType, momentType, numberType, textType, type Typed } from './target-dialect.js';
import { translateRemainder } from './translate-arithmetic.js';
import { translateText } from './translate-text.js';
import { numberConstant, textConstant } from './tree-constants.js';

const grains = new Set(['day', 'week', 'month', 'quarter', 'year']);
const timeParts = ['year', 'quarter', 'month', 'day', 'isodow', 'hour'] as const;

/** Translates a function of rows, also `EXTRACT` and `AT TIME ZONE`. @throws NotInDialectError */
export function translateCall(node: NodeFields, translator: Translator): Typed {
  const { dialect, translate, refuse } = translator;
  const name = functionName(node);
  const args = (node.args ?? []) as unknown[];
  switch (name) {
    case 'date_trunc': {
      const grain = textConstant(args[0]);
      const value = translate(args[1]);
      if (grain === null || !grains.has(grain) || value.kind !== 'timestamp') return refuse('DATE_TRUNC of this form');
      return { ...localType, sql: dialect.startOf(value, grain as CalendarGrain) };
    }
    case 'timezone':
      return inZone(args[0], translate(args[1]), translator);
    case 'to_char': {
      const value = translate(args[0]);
      if (value.kind !== 'timestamp' || textConstant(args[1]) !== 'YYYY-MM-DD') return refuse('TO_CHAR of this form');
      return { ...textType, sql: dialect.dayText(value.sql) };
    }
    case 'abs': {
      const value = translate(args[0]);
      if (value.kind !== 'number') return refuse('ABS');
      const [absolute, double] = [{ ...value, sql: `ABS(${dialect.toDecimal(value)})` }, doubleOf(value)];
      return double === undefined ? absolute : decimalOf(`ABS(${double})`, absolute);
    }
    case 'round':
      return rounded(translate(args[0]), args.length === 1 ? '0' : numberConstant(args[1]), translator);
    case 'extract':
      return timePart(textConstant(args[0]) ?? '', translate(args[1]), translator);
    case 'floor':
    case 'ceil':
    case 'ceiling':
      return wholeNumber(name === 'floor' ? 'FLOOR' : 'CEIL', translate(args[0]), translator);
    case 'mod':
      return translateRemainder(translate(args[0]), args[1], translator) ?? refuse('MOD of this form');
    default:
      return translateText(name, args, translator) ?? refuse(name.toUpperCase());
  }
}

function rounded(value: Typed, written: string | null, { dialect, refuse }: Translator): Typed {
  // On PostgreSQL, ROUND of an integer without a number of digits returns a double, so integers are refused.
  const digits = written !== null && /^\d$/.test(written) ? Number(written) : null;
  if (value.kind !== 'number' || value.integer || digits === null) return refuse('ROUND of this form');
  if (digits >= value.scale) return value;
  return { ...numberType(value.whole + 1, digits), sql: dialect.round(dialect.toDecimal(value), digits) };
}

function wholeNumber(name: string, value: Typed, { dialect, refuse }: Translator): Typed {
  // On PostgreSQL, CEIL and FLOOR of an integer return a double, so integers are refused.
  if (value.kind !== 'number' || value.integer) return refuse(`${name} of this form`);
  const type = numberType(value.whole + 1);
  return { ...type, sql: dialect.toDecimal({ ...type, sql: `${name}(${dialect.toDecimal(value)})` }) };
}

/**
 * Translates the argument of a cast to a date if it is `date_trunc('month', day)` with a date `day`. PostgreSQL computes it as a moment,
 * and the cast makes it a date again. Null for any other expression, and for the unit `day`, because some time zones skipped a day.
 */
export function startOfDate({ FuncCall }: Node, { dialect, translate }: Translator): Typed | null {
  if (!FuncCall || functionName(FuncCall) !== 'date_trunc') return null;
  const [unit, date] = FuncCall.args as unknown[];
  const grain = textConstant(unit) ?? '';
  const value = translate(date);
  if (!grains.has(grain) || grain === 'day' || value.kind !== 'date') return null;
  return { ...dateType, sql: dialect.localToDate(dialect.startOf(value, grain as CalendarGrain)) };
}

function timePart(part: string, { kind, sql }: Typed, { dialect, refuse }: Translator): Typed {
  const known = timeParts.find(each => each === part);
  if (kind !== 'timestamp' && (kind !== 'date' || known === 'hour')) return refuse('EXTRACT of this form');
  // PostgreSQL counts the days of `dow` from Sunday, 0 to 6.
  if (part === 'dow') return { ...numberType(1), sql: `(${dialect.part(sql, 'isodow')} % 7)` };
  return known ? { ...numberType(5), sql: dialect.part(sql, known) } : refuse(`EXTRACT of ${part}`);
}

function inZone(zone: unknown, value: Typed, { dialect, values, refuse }: Translator): Typed {
  const { TypeCast } = zone as Node;
  const { ParamRef } = (TypeCast?.arg ?? {}) as Node;
  const name = ParamRef ? String(values[Number(ParamRef.number) - 1]) : (textConstant(zone) ?? '');
  if (!isTimeZone(name)) return refuse('AT TIME ZONE');
  if (value.kind === 'timestamptz') return { ...localType, sql: dialect.momentToLocal(value.sql, name) };
  if (value.kind !== 'timestamp' || !dialect.localToMoment) return refuse('a local time in another time zone');
  return { ...momentType, sql: dialect.localToMoment(value.sql, name) };
}
