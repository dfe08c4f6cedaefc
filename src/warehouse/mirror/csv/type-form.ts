import { type Bilingual } from '../../../text/bilingual.js';
import { BIGINT, classifyValue, DATE, INT, LOSSY, NUMERIC, TIMESTAMP, TIMESTAMPTZ } from '../../files/csv-values.js';
import { documentForm, type FieldRewrite, listForm, longestRewritten } from '../../files/field-rewrite.js';
import { JsonReader } from '../../files/json-reader.js';
import { keyFault } from '../../files/unique-keys.js';
import { atOnce } from '../../../text/steps.js';

/**
 * Types that keep each value or refuse it: PostgreSQL gives back another spelling of an equal value at most. Numbers of geometric types are
 * floats, which may round.
 */
const exactType = new RegExp(
  '^(?:text|varchar|bpchar|boolean|uuid|jsonb?|xml|bytea|inet|cidr|macaddr8?|bit(?: varying)?(?:\\(\\d+\\))?' +
    '|point|line|lseg|box|path|polygon|circle)$',
);

/** The types of the bounds of ranges. */
const boundTypes: Record<string, string> = {
  int4: 'integer',
  int8: 'bigint',
  num: 'numeric',
  date: 'date',
  ts: 'timestamp',
  tstz: 'timestamptz',
};

/**
 * The form of the values that a column of the type `type` keeps, such as `numeric(12,2)` or `timestamp(3)[]`. It returns texts as they are,
 * and refuses each text that PostgreSQL would take as another value: it rounds 1.555, drops the zone of a timestamp and the time of a
 * date, reads 0x10 as 16, and guesses at 03/04/24. Other spellings of an equal value pass, such as 007, +7, 1.50 or 2024-3-5. Types of
 * floats may round, since whoever chose them asked for that. Each element of a list, and each bound of a range, has the form of a single
 * value. Null for a type whose values PostgreSQL keeps or refuses by itself, such as text, boolean and uuid. A type that is not known to do
 * so has a form without texts, since PostgreSQL changes values of some of them silently.
 */
export function typeForm(type: string): FieldRewrite | null {
  const single = type.replace(/\[\]$/, '');
  if (single !== type) {
    const element = single === 'jsonb' ? documentElement : typeForm(single);
    return element && listOf(element, single.startsWith('interval') ? mostIntervals : mostElements);
  }
  if (exactType.test(type)) return null;
  const bound = boundTypes[/^(int4|int8|num|date|ts|tstz)(?:multi)?range$/.exec(type)?.[1] ?? ''];
  return numberTypeForm(type) ?? timeTypeForm(type) ?? lengthForm(type) ?? (bound ? rangeOf(typeForm(bound)!) : noText);
}

/** Whether a column of the type takes texts at all. */
export function takesTexts(type: string): boolean {
  return typeForm(type) !== noText;
}

const noText = check(() => false, { zh: '可以确认会原样存下的值', en: 'a value that is sure to be kept as it is' });

/** The form of a type with a length, such as `varchar(3)`. PostgreSQL refuses texts that are longer, but cuts blanks at their end. */
function lengthForm(type: string): FieldRewrite | null {
  const length = /^(?:var)?char\((\d+)\)$/.exec(type)?.[1];
  if (length === undefined) return null;
  const most = Number(length);
  const bound = 4 * most > longestRewritten ? { zh: '、256 KiB', en: ' and 256 KiB' } : { zh: '', en: '' };
  const wanted = {
    zh: `至多 ${most} 个字符${bound.zh}的文本（末尾空格也计入）`,
    en: `a text of at most ${most} characters${bound.en}, with the blanks at its end`,
  };
  const holds = (text: string): boolean => text.length <= most || (text.length <= 2 * most && [...text].length <= most);
  return check(holds, wanted, (_, start, end) => end - start <= most);
}

/** A form that refuses texts and changes none. */
function check(holds: (text: string) => boolean, wanted: Bilingual, isKept?: FieldRewrite['isKept']): FieldRewrite {
  return { rewrite: text => (holds(text) ? text : null), wanted, isCheck: true, ...(isKept && { isKept }) };
}

const POINT = 46;
const wholeBits: Record<string, bigint> = { smallint: 15n, integer: 31n, bigint: 63n };
const number = /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i;
const noNumber = /^(?:nan|[-+]?inf(?:inity)?)$/i;

function numberTypeForm(type: string): FieldRewrite | null {
  const [, name = '', precision, scale = '0'] =
    /^(smallint|integer|bigint|real|double precision|numeric)(?:\((\d+)(?:,(-?\d+))?\))?$/.exec(type) ?? [];
  const bits = wholeBits[name];
  if (bits !== undefined) return wholeForm(name, bits);
  if (name === '') return null;
  if (precision !== undefined) return numericForm(Number(precision), Number(scale));
  const isNumber = (text: string): boolean => noNumber.test(text.trim()) || digitsOf(text) !== null;
  const wanted = { zh: '-1234.5 这样的数字', en: 'a number such as -1234.5' };
  return check(isNumber, wanted, (bytes, start, end) => isNumberKind(classifyValue(bytes, start, end) & ~LOSSY));
}

function isNumberKind(kind: number): boolean {
  return kind === INT || kind === BIGINT || kind === NUMERIC;
}

function wholeForm(name: string, bits: bigint): FieldRewrite {
  const holds = (text: string): boolean => {
    const [, sign, written] = /^([-+]?)(\d+)$/.exec(text.trim()) ?? [];
    const digits = written?.replace(/^0+/, '');
    return digits !== undefined && digits.length < 20 && BigInt(digits) < 2n ** bits + (sign === '-' ? 1n : 0n);
  };
  const wanted = { zh: `类型 ${name} 的整数`, en: `a whole number of the type ${name}` };
  return check(holds, wanted, (bytes, start, end) => {
    const kind = classifyValue(bytes, start, end) & ~LOSSY;
    return name === 'smallint' ? kind === INT && end - start < 5 : kind === INT || (kind === BIGINT && name === 'bigint');
  });
}

function numericForm(precision: number, scale: number): FieldRewrite {
  const holds = (text: string): boolean => {
    if (/^nan$/i.test(text.trim())) return true;
    const digits = digitsOf(text);
    return digits !== null && digits.whole <= precision - scale && digits.decimals <= scale;
  };
  const type = `numeric(${precision},${scale})`;
  const wanted = { zh: `${type} 不舍入即可存下的数字`, en: `a number that ${type} holds without rounding` };
  return check(holds, wanted, (bytes, start, end) => {
    let whole = start;
    while (whole < end && bytes[whole] !== POINT) whole++;
    return whole - start <= precision - scale && end - whole - 1 <= scale && isNumberKind(classifyValue(bytes, start, end));
  });
}

/** The digits of a number before and behind its point, without zeros at its ends; fewer than none for 0. Null for a text that is not a number. */
function digitsOf(text: string): { whole: number; decimals: number } | null {
  const [, whole = '', fraction = '', exponent = '0'] = number.exec(text.trim()) ?? [];
  const digits = whole + fraction;
  if (digits === '') return null;
  const first = digits.search(/[1-9]/);
  if (first === -1) return { whole: -Infinity, decimals: -Infinity };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const point = whole.length + Number(exponent);
  return { whole: point - first, decimals: end - point };
}

const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const weekday = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}';
/**
 * A date with a year of four digits or more, with eight digits, or with the month as a word. PostgreSQL would read 03/04/24 as the 24th of
 * April 2003, and `today` as the day of the upload.
 */
const day = `(?:\\d{4,7}-\\d{1,2}-\\d{1,2}|\\d{4}[/. ]\\d{1,2}[/. ]\\d{1,2}|\\d{4}[-/. ]${month}[-/. ]\\d{1,2}|\\d{8}|(?:${weekday},? )?(?:\\d{1,2}[- ]?${month}|${month}\\.? ?\\d{1,2}),?[- ]\\d{4})`;
const clock = '(?:\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d*)?)?|\\d{4}(?:\\d{2}(?:[.,]\\d*)?)?)(?:\\s*[ap]m)?';
const midnight = '00?:00(?::00(?:[.,]0*)?)?';
const between = '(?:\\s+|\\s*t\\s*)';
const offset = '\\s*(?:z|utc|gmt|[-+]\\d{1,2}(?::?\\d{2}(?::?\\d{2})?)?)';
/** An offset, or the name of a place. An abbreviation names several zones: CST is one in China and another in America. */
const zone = `(?:${offset}|\\s+[a-z_]+(?:/[a-z_-]+)+)`;
const era = '(?:\\s*(?:ad|bc))?';

interface TimeType {
  pattern: RegExp;
  kinds: readonly number[];
  wanted: (digits: number) => Bilingual;
}

const clearYear = { zh: '以四位年份开头', en: 'a date that begins with a year of four digits' };
const onDay = (behind: string): RegExp => new RegExp(`^(?:${day}${behind}${era}|[-+]?infinity)$`, 'i');
const timeTypes: Record<string, TimeType> = {
  date: {
    pattern: onDay(`(?:${between}${midnight})?`),
    kinds: [DATE],
    wanted: () => ({ zh: `${clearYear.zh}、不含时刻的日期`, en: `${clearYear.en} and has no time of day` }),
  },
  timestamp: {
    pattern: onDay(`(?:${between}${clock})?`),
    kinds: [DATE, TIMESTAMP],
    wanted: digits => ({
      zh: `${clearYear.zh}、不含时区、秒至多 ${digits} 位小数的时间`,
      en: `${clearYear.en}, with a time of at most ${digits} decimals of a second and no zone`,
    }),
  },
  timestamptz: {
    pattern: onDay(`(?:${between}${clock}${zone}?)?`),
    kinds: [DATE, TIMESTAMP, TIMESTAMPTZ],
    wanted: digits => ({
      zh: `${clearYear.zh}、秒至多 ${digits} 位小数、时区写作 +08:00、Z 或 Asia/Shanghai 的时间`,
      en: `${clearYear.en}, with a time of at most ${digits} decimals of a second and a zone such as +08:00, Z or Asia/Shanghai`,
    }),
  },
  time: {
    pattern: new RegExp(`^t?${clock}$`, 'i'),
    kinds: [],
    wanted: digits => ({
      zh: `不含日期和时区、秒至多 ${digits} 位小数的时刻`,
      en: `a time of at most ${digits} decimals of a second without a date and a zone`,
    }),
  },
  timetz: {
    pattern: new RegExp(`^t?${clock}(?:${offset})?$`, 'i'),
    kinds: [],
    wanted: digits => ({
      zh: `不含日期、秒至多 ${digits} 位小数、时区写作 +08:00 的时刻`,
      en: `a time of at most ${digits} decimals of a second with a zone such as +08:00 and without a date`,
    }),
  },
};

/**
 * The form of times. It also refuses times that PostgreSQL would change: it rounds digits of a second that the column does not keep, so
 * that 23:59:59.9999999 becomes the next day, makes 23:59:60 the time 24:00, and reads 08:30.5 as 8 minutes. An interval whose fields end
 * before the seconds has no form: PostgreSQL drops what is behind them.
 */
function timeTypeForm(type: string): FieldRewrite | null {
  const [, name = '', whole, part, zoned] =
    /^(date|timestamp(?:tz)?|time(?:tz)?|interval)(?:\((\d)\)|(?: [a-z]+ to)? second(?:\((\d)\))?)?( with time zone)?$/.exec(type) ?? [];
  if (name === '') return null;
  const digits = Number(whole ?? part ?? 6);
  if (name === 'interval') {
    const wanted = {
      zh: `秒至多 ${digits} 位小数、月数为整数的时间间隔`,
      en: `an interval with at most ${digits} decimals of a second and no part of a month`,
    };
    return check(text => !roundsInterval(text, digits), wanted);
  }
  const { pattern, kinds, wanted } = timeTypes[zoned ? 'timetz' : name]!;
  const isChanged = changesClock(digits);
  const isPlain: FieldRewrite['isKept'] = (bytes, start, end) => kinds.includes(classifyValue(bytes, start, end) & ~LOSSY);
  return check(text => pattern.test(text.trim()) && !isChanged(text), wanted(digits), digits === 6 ? isPlain : undefined);
}

/** A clock with a part behind its minutes, which PostgreSQL takes for minutes and seconds. */
const minutesOnly = '(?:^|[^\\d:])\\d+:\\d+[.,]';
/** Also a point behind the months of `1-1.5`, whose decimals become seconds, and behind `PT090000.5`, whose decimals are lost. */
const misplacedPoint = new RegExp(`${minutesOnly}|\\d-\\d*[.,]|t-?\\d{6}[.,]`, 'i');

function changesClock(digits: number): (text: string) => boolean {
  const finer = `(?::\\d\\d|\\d{6})[.,]\\d{${digits}}\\d*[1-9]`;
  const sixty = ':60|(?:^|[Tt\\s])\\d{4}60(?!\\d)';
  const changed = new RegExp(`${finer}|${sixty}|${minutesOnly}`);
  return text => changed.test(text);
}

/** The units of an interval, in months from months on, because their length is not fixed, and else in microseconds. */
const units: readonly { name: RegExp; months?: bigint; microseconds?: bigint }[] = [
  { name: /^mon/i, months: 1n },
  { name: /^y/i, months: 12n },
  { name: /^dec/i, months: 120n },
  { name: /^c/i, months: 1_200n },
  { name: /^mil(?!lis)/i, months: 12_000n },
  { name: /^(?:us|mic)/i, microseconds: 1n },
  { name: /^(?:ms|millis)/i, microseconds: 1_000n },
  { name: /^(?:s|$)/i, microseconds: 1_000_000n },
  { name: /^m/i, microseconds: 60_000_000n },
  { name: /^h/i, microseconds: 3_600_000_000n },
  { name: /^d/i, microseconds: 86_400_000_000n },
  { name: /^w/i, microseconds: 604_800_000_000n },
];
/** PostgreSQL takes no longer text for an interval. */
const longestInterval = 256;

/**
 * Whether an amount of an interval has a part of a second that `digits` decimals do not hold, or a part of a month, for which PostgreSQL
 * takes a number of days or another number of months: `1.5 days` and `1.5 years` have none, `0.00001 h` and `1.55 years` have one.
 */
function roundsInterval(text: string, digits: number): boolean {
  // Numbers such as 1e-1 and 0x1p-1 are read behind the letter P only.
  if (text.length > longestInterval || /[\d.]e|x/i.test(text)) return true;
  // Whole amounts have no parts. Most intervals are such.
  if (digits === 6 && !/[.,]/.test(text)) return false;
  const date = /^\s*[-+]?p[^t]*/i.exec(text)?.[0] ?? '';
  // In `P1-1.5` and `P1.55` the place of a number tells its unit.
  if (misplacedPoint.test(text) || (/[.,]/.test(date) && /\d(?![\d.,a-z])/i.test(date))) return true;
  const step = 10n ** BigInt(6 - digits);
  // In `P1MT1M` the letter M stands for months before the T, and for minutes behind it.
  const spelled = date.replace(/m/gi, 'mon') + text.slice(date.length);
  for (const [, whole = '', decimals = '', unit = ''] of spelled.matchAll(/(\d+)?(?:[.,](\d+))?\s*([a-z]*)/gi)) {
    const size = units.find(({ name }) => name.test(unit));
    if (size === undefined) continue;
    const [scale, least] = size.months === undefined ? [size.microseconds!, step] : [size.months, 1n];
    if ((BigInt(whole + decimals) * scale) % (least * 10n ** BigInt(decimals.length)) !== 0n) return true;
  }
  return false;
}

/** The items of an array literal. A quote without its end reaches to the end of the text, so that no part is read twice. */
const listItems = /"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|[^",{}]+/g;

/** Maximum elements of a list in one text. They are judged without a pause, in up to 2.5 µs each, and intervals in up to 5 µs. */
const mostElements = 16_384;
const mostIntervals = 8_192;

/** Accepts a list whose elements are all in the form `element`. The form must not change texts: the list is kept as it is written. */
function listOf(element: FieldRewrite, most: number): FieldRewrite {
  const isKept = (item: string): boolean => {
    const text = item
      .trim()
      .replace(/^"|"$/g, '')
      .replace(/\\([\s\S])/g, '$1');
    return /^(?:null)?$/i.test(text) || element.rewrite(text) !== null;
  };
  return {
    ...listForm,
    rewrite: text => {
      const list = listForm.rewrite(text);
      const items = list?.match(listItems) ?? [];
      return items.length <= most && items.every(isKept) ? list : null;
    },
    wanted: {
      zh: `${listForm.wanted.zh}，其中至多 ${most} 项，每项为${element.wanted.zh}`,
      en: `${listForm.wanted.en}, with at most ${most} elements, each of them ${element.wanted.en}`,
    },
  };
}

/** Accepts ranges and multiranges whose bounds are all in the form `bound`. */
function rangeOf(bound: FieldRewrite): FieldRewrite {
  const isKept = (text: string): boolean => text.trim() === '' || bound.rewrite(text) !== null;
  const holds = (text: string): boolean =>
    /^\s*empty\s*$/i.test(text) ||
    text
      .replace(/""/g, ' ')
      .split(/[[\](){},"]/)
      .every(isKept);
  const wanted = { zh: `边界为${bound.wanted.zh}的范围`, en: `a range whose bounds are each ${bound.wanted.en}` };
  return check(holds, wanted);
}

const reader = new JsonReader(Buffer.alloc(0));

/** The form of documents in a list, which are read without a pause, since the text of a list is short. */
const documentElement = check(text => {
  const bytes = Buffer.from(text);
  return atOnce(keyFault(reader, bytes, 0, bytes.length, null)) === null;
}, documentForm.wanted);
