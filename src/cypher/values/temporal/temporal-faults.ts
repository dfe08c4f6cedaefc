import { type Bilingual } from '../../../text/bilingual.js';
import { type CypherValue, isList, isMap } from '../cypher-value.js';
import { Decimal } from '../decimal.js';
import { ValueFault } from '../value-fault.js';
import { temporalText } from './temporal-text.js';

const longestShown = 60;

/** The fault of a value of the wrong kind. @param where the function, or the function and its field: `date()` */
export function wrongKind(where: string, expected: Bilingual, found: CypherValue): ValueFault {
  const shown = shownValue(found);
  return new ValueFault('TypeError', 'InvalidArgumentType', {
    zh: `${where} 需要${expected.zh}，得到的是 ${shown.zh}`,
    en: `${where} expects ${expected.en}, found ${shown.en}`,
  });
}

/** The fault of a value that has the right kind and no valid meaning, such as the name of a zone that does not exist. */
export function wrongValue(where: string, expected: Bilingual, found: string): ValueFault {
  const shown = quoted(found);
  return new ValueFault('ArgumentError', 'InvalidArgumentValue', {
    zh: `${where} 需要${expected.zh}，得到的是 ${shown}`,
    en: `${where} expects ${expected.en}, found ${shown}`,
  });
}

export function wrongFields(sentence: Bilingual): ValueFault {
  return new ValueFault('ArgumentError', 'InvalidArgumentValue', sentence);
}

export function wrongNumber(name: string, least: number, most: number, found: number | bigint): ValueFault {
  return new ValueFault('ArgumentError', 'NumberOutOfRange', {
    zh: `${name} 应在 ${least} 到 ${most} 之间，得到的是 ${found}`,
    en: `${name} is from ${least} to ${most}, found ${found}`,
  });
}

/**
 * Runs an operation of the Temporal library and turns the RangeError that the library throws for a moment beyond its range into a fault.
 */
export function withinRange<T>(operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (error instanceof RangeError) throw beyondTime();
    throw error;
  }
}

export function beyondTime(): ValueFault {
  return new ValueFault('ArgumentError', 'NumberOutOfRange', {
    zh: '时间超出范围：年份应在 -271820 到 275759 之间',
    en: 'The time is out of range: years are from -271820 to 275759',
  });
}

export function beyondDuration(): ValueFault {
  return new ValueFault('ArithmeticError', 'NumberOutOfRange', {
    zh: '时长超出范围：月数、天数和秒数各应为 64 位整数',
    en: 'The duration is out of range: its months, days and seconds are integers of 64 bits each',
  });
}

function shownValue(value: CypherValue): Bilingual {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return { zh: String(value), en: String(value) };
  if (typeof value === 'string') return { zh: quoted(value), en: quoted(value) };
  if (value instanceof Decimal) return { zh: value.toString(), en: value.toString() };
  if (isList(value)) return { zh: '列表', en: 'a list' };
  if (isMap(value)) return { zh: '映射', en: 'a map' };
  switch (value.kind) {
    case 'node':
      return { zh: '节点', en: 'a node' };
    case 'edge':
      return { zh: '关系', en: 'a relationship' };
    case 'path':
      return { zh: '路径', en: 'a path' };
    default: {
      const shown = `${value.kind}('${temporalText(value)}')`;
      return { zh: shown, en: shown };
    }
  }
}

function quoted(text: string): string {
  return `'${text.length > longestShown ? `${text.slice(0, longestShown)}…` : text}'`;
}
