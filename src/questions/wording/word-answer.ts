import { type Language } from '../../text/language.js';
import { type LinkedTerm, type MetricCall } from '../vocabulary.js';
import { type Grain } from '../../metrics/formula/formula-tree.js';
import { type AnswerShape, type Limits } from '../planning/question-plan.js';
import { nounFor, pluralOf, singularOf } from '../linking/noun-forms.js';
import { capitalize, formatAs, formatValue, textOf } from './format-value.js';
import { wordLimits, wordRelated } from './word-limits.js';

const mostNamed = 10;

/**
 * Puts the rows of a graph question into a sentence. If there are `limit` rows, further rows may have been cut off.
 * @param isText for each column whether its values are shown unchanged, without thousands separators
 */
export function wordGraphAnswer(
  shape: AnswerShape,
  rows: unknown[][],
  language: Language,
  limit = Infinity,
  isText: readonly boolean[] = [],
): string {
  const zh = language === 'zh';
  if (shape.whether) {
    const sentence = wordGraphAnswer({ ...shape, whether: false }, rows, language, limit, isText);
    const isSo =
      shape.first !== null
        ? isAhead(rows, shape.first)
        : shape.kind === 'property' || shape.kind === 'identity'
          ? isTrue(rows)
          : rows.length > 0;
    if (isSo === null) return sentence;
    return zh ? `${isSo ? '是' : '否'}：${sentence}` : `${isSo ? 'Yes' : 'No'}: ${sentence}`;
  }
  if (zh && shape.of.isAmong) {
    const of = { ...shape.of, isAmong: false };
    return `其中，${wordGraphAnswer({ ...shape, of }, rows, language, limit, isText)}`;
  }
  const of = wordLimits(shape.of, zh);
  const first = (row: unknown[]): string => nameOf(row[0], isText[0]);
  const say = (row: unknown[] | undefined, at: number, name?: string | null): string =>
    isText[at] ? textOf(row?.[at]) : formatAs(name, row?.[at]);
  const names = [...new Set(rows.map(first))];
  switch (shape.kind) {
    case 'count':
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}共有 ${say(rows[0], 0)} 个。`
        : `Number of ${pluralOf(shape.subject)}${of}: ${say(rows[0], 0)}.`;
    case 'aggregate': {
      const measure = shape.measure ?? '';
      const value = rows[0]?.[0];
      if (value === null || value === undefined)
        return zh
          ? `${of ? `${of}的` : ''}${shape.subject}没有${measure}的记录。`
          : `No ${measure} is recorded for ${pluralOf(shape.subject)}${of}.`;
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}的${measure}：${say(rows[0], 0)}。`
        : `${capitalize(measure)} of ${pluralOf(shape.subject)}${of}: ${say(rows[0], 0)}.`;
    }
    case 'property': {
      const [row] = rows;
      if (row === undefined) return nothing(shape.of, of, zh);
      const [spoken = ''] = shape.spoken;
      if (rows.length === 1 && shape.spoken.length === 1) {
        if (row[1] === null) return zh ? `${names[0]}没有${spoken}的记录。` : `No ${spoken} is recorded for ${names[0]}.`;
        return zh ? `${names[0]}的${spoken}是 ${say(row, 1, spoken)}。` : `The ${spoken} of ${names[0]} is ${say(row, 1, spoken)}.`;
      }
      const wordValue = (name: string, value: unknown, said: string): string =>
        value === null ? (zh ? `没有${name}的记录` : `no ${name} recorded`) : `${name} ${said}`;
      const values = rows.map(each => {
        const own = first(each);
        // Skip a column that repeats the name of the thing, which would read `Tea name Tea`.
        const said = shape.spoken.flatMap((name, i) => (each[i + 1] === own ? [] : wordValue(name, each[i + 1], say(each, i + 1, name))));
        return [own, ...(said.length > 0 ? [said.join(zh ? '，' : ', ')] : [])].join(' ');
      });
      return `${join(values, zh)}${zh ? '。' : '.'}`;
    }
    case 'rank':
    case 'group': {
      if (rows.length === 0) return nothing(shape.of, of, zh);
      const isAll = rows.length < limit;
      const values = rows.map(row => say(row, 1, shape.measure));
      const own = rows.map(row => (typeof row[0] === 'number' && !isText[0] ? formatAs(shape.subject, row[0]) : first(row)));
      const columns = rows.map(row => shape.spoken.map((name, at) => (zh ? `，${name} ` : `, ${name} `) + say(row, at + 2, name)).join(''));
      const ranked = own.map((name, i) => (zh ? `${name}（${values[i]}${columns[i]}）` : `${name} (${values[i]}${columns[i]})`));
      if (shape.kind === 'group')
        return zh
          ? `${of ? `${of}中，` : ''}按${shape.subject}统计的${shape.measure}：${join(ranked, zh, isAll)}。`
          : `${capitalize(shape.measure ?? '')} by ${singularOf(shape.subject)}${of}: ${join(ranked, zh, isAll)}.`;
      const areDates = rows.every(row => typeof row[1] === 'string' && /^\d{4}-\d\d-\d\d/.test(row[1]));
      const [highest, lowest] = ends[areDates ? 'dates' : 'values'][zh ? 'zh' : 'en'];
      const most = shape.descending ? highest : lowest;
      return zh
        ? `${of ? `${of}中，` : ''}${shape.measure}${most}的${shape.subject}：${join(ranked, zh, isAll)}。`
        : `${capitalize(nounFor(rows.length, shape.subject))} with the ${most} ${shape.measure}${of}: ${join(ranked, zh, isAll)}.`;
    }
    case 'entity':
      return rows.length === 0
        ? nothing(shape.of, of, zh)
        : zh
          ? `找到：${join(countNames(rows, first, zh), zh)}。`
          : `Found: ${join(countNames(rows, first, zh), zh)}.`;
    case 'identity':
      if (rows.length === 0) return nothing(shape.of, of, zh);
      return zh ? `${names[0]}是${shape.subject}。` : `${names[0]} is ${withArticle(singularOf(shape.subject))}.`;
    case 'list':
      if (rows.length === 0)
        return zh ? `没有找到${wordRelated(shape.of, of)}${shape.subject}。` : `No ${pluralOf(shape.subject)} found${of}.`;
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}${rows.length < limit ? '共' : '至少'} ${countOf(rows)} 个：${join(countNames(rows, first, zh), zh)}。`
        : `${rows.length < limit ? '' : 'At least '}${countOf(rows)} ${nounFor(countOf(rows), shape.subject)}${of}: ${join(countNames(rows, first, zh), zh)}.`;
    default:
      return shape.kind satisfies never;
  }
}

function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

const ends = {
  values: { zh: ['最高', '最低'], en: ['highest', 'lowest'] },
  dates: { zh: ['最晚', '最早'], en: ['latest', 'earliest'] },
} as const;

/** The value of the only row beside its name, if this value is a boolean or null; else whether there are rows. */
function isTrue(rows: unknown[][]): boolean | null {
  const [row, ...others] = rows;
  const isOne = row?.length === 2 && others.length === 0;
  return isOne && (typeof row[1] === 'boolean' || row[1] === null) ? row[1] : rows.length > 0;
}

/** Whether the thing called `name` is in the first of two rows with different values. Null if one of the two values is null. */
function isAhead([first, second]: unknown[][], name: string): boolean | null {
  if ([first, second].some(row => row !== undefined && row[1] === null)) return null;
  return first !== undefined && nameOf(first[0]) === name && JSON.stringify(first[1]) !== JSON.stringify(second?.[1]);
}

/** Number of different nodes; nodes with the same name count separately. */
function countOf(rows: unknown[][]): number {
  return new Set(rows.map(identityOf)).size;
}

function identityOf([first]: unknown[]): unknown {
  return (first as { id?: unknown } | null)?.id ?? nameOf(first);
}

/** The different names, each with the number of its nodes if there are several. */
function countNames(rows: unknown[][], nameOfRow: (row: unknown[]) => string, zh: boolean): string[] {
  const nodes = new Map<string, Set<unknown>>();
  for (const row of rows) {
    const name = nameOfRow(row);
    nodes.set(name, (nodes.get(name) ?? new Set()).add(identityOf(row)));
  }
  return [...nodes].map(([name, { size }]) => (size === 1 ? name : zh ? `${name}（${size} 个）` : `${name} (${size})`));
}

/** Puts the rows of a metric into a sentence. The value is in the last column. `linked` has the question's own words for names. */
export function wordMetricAnswer(call: MetricCall, rows: unknown[][], language: Language, linked: LinkedTerm[]): string {
  const zh = language === 'zh';
  const unit = call.unit ? ` ${call.unit}` : '';
  const spoken = (name: string, kinds: LinkedTerm['as'][]): string =>
    zh ? name : (linked.find(term => kinds.includes(term.as) && term.name === name)?.text ?? name);
  const own = spoken(call.metric, ['metric']);
  const metric = call.share ? (zh ? `${own}占比` : `share of ${own}`) : own;
  const limits = [
    ...call.filters.map(filter => nameFilter(filter, zh)),
    ...periodOf(call, zh),
    ...call.having.map(({ op, value }) => `${boundWords[op][zh ? 0 : 1]} ${formatValue(value)}`),
  ];
  const limited = limits.length === 0 ? '' : zh ? `${limits.join('，')}的` : ` for ${limits.join(', ')}`;
  const at = call.dimensions.length + (call.time?.grain ? 1 : 0);
  const valueOf = (row: unknown[]): string => {
    if (call.share) return percent(row[at]);
    const value = `${formatValue(row[at])}${unit}`;
    if (!call.compare) return value;
    const [before, difference, rate] = row.slice(at + 1);
    return zh
      ? `${value}（此前 ${formatValue(before)}，变化 ${formatValue(difference)}，${percent(rate)}）`
      : `${value} (before: ${formatValue(before)}, change ${formatValue(difference)}, ${percent(rate)})`;
  };
  const first = rows[0];
  if (!first || (rows.length === 1 && first[at] === null))
    return zh ? `${limits.join('，')}没有${limits.length > 0 ? '' : '任何'}${metric}的数据。` : `There is no ${metric}${limited}.`;
  if (call.dimensions.length === 0 && !call.time?.grain)
    return zh ? `${limited}${metric}为 ${valueOf(first)}。` : `${capitalize(metric)}${limited}: ${valueOf(first)}.`;
  const by = [
    ...(call.time?.grain ? [zh ? chineseGrains[call.time.grain] : call.time.grain] : []),
    ...call.dimensions.map(name => spoken(name, ['dimension', 'label', 'property'])),
  ].join(zh ? '、' : ', ');
  const values = join(
    rows.map(
      row =>
        `${row
          .slice(0, at)
          .map((cell, i) => (i === 0 && call.time?.grain ? namePeriod(cell, call.time.grain) : textOf(cell)))
          .join(' ')} ${valueOf(row)}`,
    ),
    zh,
  );
  if (linked.some(term => term.as === 'intent' && (term.name === 'top' || term.name === 'more'))) {
    const descending = call.order[0]?.dir === 'desc';
    return zh
      ? `${limits.length > 0 ? `${limits.join('，')}，` : ''}${metric}${descending ? '最高' : '最低'}的${by}：${values}。`
      : `${capitalize(by)} with the ${descending ? 'highest' : 'lowest'} ${metric}${limited}: ${values}.`;
  }
  return zh ? `${limited}${metric}，按${by}：${values}。` : `${capitalize(metric)}${limited} by ${by}: ${values}.`;
}

const boundWords = { '>': ['高于', 'above'], '<': ['低于', 'below'], '>=': ['不低于', 'at least'], '<=': ['不高于', 'at most'] } as const;

function percent(value: unknown): string {
  return value === null || value === undefined ? '—' : `${Number((Number(value) * 100).toPrecision(4))}%`;
}

function nameFilter({ op, values }: MetricCall['filters'][number], zh: boolean): string {
  const names = values.join(zh ? '、' : ', ');
  return op === 'in' ? names : zh ? `${names}以外` : `all but ${names}`;
}

const chineseGrains = { hour: '小时', day: '日', week: '周', month: '月', quarter: '季度', year: '年' };

function periodOf({ time }: MetricCall, zh: boolean): string[] {
  if (!time?.to) return time?.from ? [zh ? `${time.from} 及以后` : `${time.from} and later`] : [];
  const last = new Date(Date.parse(`${time.to}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  if (!time.from) return [zh ? `${last} 及以前` : `up to ${last}`];
  if (zh) return [`${time.from} 至 ${last}`];
  if (time.from.endsWith('-01-01') && last.endsWith('-12-31')) {
    const [start, end] = [time.from.slice(0, 4), last.slice(0, 4)];
    return [start === end ? start : `${start} to ${end}`];
  }
  return [`${time.from} to ${last}`];
}

function nothing(limits: Limits, of: string, zh: boolean): string {
  return zh ? `没有找到${wordRelated(limits, of)}结果。` : `Nothing was found${of}.`;
}

function join(names: string[], zh: boolean, isAll = true): string {
  const shown = names.slice(0, mostNamed).join(zh ? '、' : ', ');
  if (names.length <= mostNamed) return shown;
  const more = names.length - mostNamed;
  return zh ? `${shown}等` : `${shown} and ${isAll ? '' : 'at least '}${more} more`;
}

function nameOf(value: unknown, isText = false): string {
  if (typeof value === 'object' && value !== null && 'display' in value) return String(value.display);
  return isText ? textOf(value) : formatValue(value);
}

/** Names a period by its first day: 2025, 2025-03, 2025 Q1. */
function namePeriod(day: unknown, grain: Grain): string {
  const [year, month] = String(day).split('-');
  if (year === undefined || month === undefined) return nameOf(day);
  if (grain === 'year') return year;
  if (grain === 'quarter') return `${year} Q${Math.ceil(Number(month) / 3)}`;
  return grain === 'month' ? `${year}-${month}` : nameOf(day);
}
