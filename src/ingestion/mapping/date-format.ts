import { type Bilingual } from '../../text/bilingual.js';

/** A date format as SQL uses it: `replacement` turns a text that matches `regex` into ISO 8601. */
export interface DateFormat {
  /** An anchored regular expression of PostgreSQL. */
  regex: string;
  /** The replacement for regexp_replace, such as `\3-\2-\1`. */
  replacement: string;
  reads: 'date' | 'datetime' | 'time';
}

/** The supported fields of Unicode date patterns, by their letters. They mean the same in every locale and need no table of names. */
const fields: Record<string, { part: string; regex: string }> = {
  yyyy: { part: 'year', regex: '[0-9]{4}' },
  MMM: { part: 'month', regex: '[A-Za-z]{3,9}' },
  MM: { part: 'month', regex: '[0-9]{2}' },
  M: { part: 'month', regex: '[0-9]{1,2}' },
  dd: { part: 'day', regex: '[0-9]{2}' },
  d: { part: 'day', regex: '[0-9]{1,2}' },
  HH: { part: 'hour', regex: '[0-9]{2}' },
  H: { part: 'hour', regex: '[0-9]{1,2}' },
  hh: { part: 'hour', regex: '0[1-9]|1[0-2]' },
  h: { part: 'hour', regex: '0?[1-9]|1[0-2]' },
  mm: { part: 'minute', regex: '[0-9]{2}' },
  ss: { part: 'second', regex: '[0-9]{2}' },
  SSS: { part: 'fraction', regex: '[0-9]{1,6}' },
  a: { part: 'half', regex: '[AaPp][Mm]' },
  XXX: { part: 'zone', regex: 'Z|[+-][0-9]{2}:?[0-9]{2}' },
};

const known = Object.keys(fields).join(' ');

/** Reads a format such as `dd/MM/yyyy HH:mm`. Returns the fault in words if the text is not a format. */
export function parseDateFormat(written: string): DateFormat | { fault: Bilingual } {
  let regex = '';
  const groups = new Map<string, { number: number; field: string }>();
  for (const [piece, quoted] of written.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^]/gu)) {
    const field = Object.hasOwn(fields, piece) ? fields[piece] : undefined;
    if (quoted !== undefined) regex += literal(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
    else if (field) {
      if (groups.has(field.part)) {
        return { fault: { zh: `'${piece}' 与前面的部分重复`, en: `'${piece}' repeats a part that the format has already` } };
      }
      groups.set(field.part, { number: groups.size + 1, field: piece });
      regex += `(${field.regex})`;
    } else if (/^[A-Za-z]/.test(piece)) return { fault: unknownField(piece) };
    else regex += literal(piece);
  }
  const missing = missingPart(groups);
  if (missing) return { fault: missing };
  const has = (part: string): boolean => groups.has(part);
  const group = (part: string, before = ''): string => (has(part) ? `${before}\\${groups.get(part)!.number}` : '');
  const day = has('year') ? `${group('year')}-${group('month')}-${group('day')}` : '';
  const minute = has('minute') ? group('minute', ':') : ':00';
  const time = has('hour')
    ? `${group('hour')}${minute}${group('second', ':')}${group('fraction', '.')}${group('half', ' ')}${group('zone')}`
    : '';
  const reads = day === '' ? 'time' : time === '' ? 'date' : 'datetime';
  return { regex: `^\\s*${regex}\\s*$`, replacement: [day, time].filter(part => part !== '').join(' '), reads };
}

function unknownField(piece: string): Bilingual {
  const meant = { Y: 'yyyy', y: 'yyyy', D: 'dd', S: 'SSS', s: 'ss', X: 'XXX', m: 'mm' }[piece[0]!];
  const hint =
    meant === undefined || meant === piece ? { zh: '', en: '' } : { zh: `，是否想写 ${meant}？`, en: `; did you mean ${meant}?` };
  return {
    zh: `'${piece}' 不是格式的一部分${hint.zh}（可用：${known}；其他字母写在单引号内）`,
    en: `'${piece}' is not part of a format${hint.en} (known: ${known}; other letters stand in single quotes)`,
  };
}

/** The fault of a format that lacks a part of the date or time; null if it has all parts. A missing part would have to be invented. */
function missingPart(groups: ReadonlyMap<string, { field: string }>): Bilingual | null {
  const has = (part: string): boolean => groups.has(part);
  const needs = (what: string): Bilingual => ({ zh: `还需要 ${what}`, en: `it also needs ${what}` });
  const dayParts = ['year', 'month', 'day'].filter(has).length;
  if (dayParts > 0 && dayParts < 3) return needs('yyyy, MM, dd');
  if (dayParts === 0 && !has('hour')) return needs('yyyy, MM, dd / HH, mm');
  if (!has('hour') && ['minute', 'second', 'fraction', 'half', 'zone'].some(has)) return needs('HH');
  if (has('second') && !has('minute')) return needs('mm');
  if (has('fraction') && !has('second')) return needs('ss');
  const isTwelve = /^h/.test(groups.get('hour')?.field ?? '');
  if (isTwelve !== has('half')) return isTwelve ? needs('a') : needs('hh');
  return has('zone') && dayParts === 0 ? needs('yyyy, MM, dd') : null;
}

function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
