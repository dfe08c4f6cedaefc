import { type AnswerColumn, type Language, type MetricCall } from '../protocol.js';
import { type AnswerShape, type Limits } from './plan-graph-question.js';

const MOST_NAMED = 10;

/** The sentence for the rows of a graph question. */
export function wordGraphAnswer(shape: AnswerShape, columns: AnswerColumn[], rows: unknown[][], language: Language): string {
  const zh = language === 'zh';
  const of = wordLimits(shape.of, zh);
  const names = [...new Set(rows.map(row => nameOf(row[0])))];
  switch (shape.kind) {
    case 'count':
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}共有 ${formatValue(rows[0]?.[0])} 个。`
        : `Number of ${shape.subject}${of}: ${formatValue(rows[0]?.[0])}.`;
    case 'aggregate':
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}的${columns[0]?.name ?? ''}：${formatValue(rows[0]?.[0])}。`
        : `${columns[0]?.name ?? ''} of ${shape.subject}${of}: ${formatValue(rows[0]?.[0])}.`;
    case 'property': {
      const values = rows.map(row => `${nameOf(row[0])} ${columns.slice(1).map((column, i) => `${column.name} ${formatValue(row[i + 1])}`).join(zh ? '，' : ', ')}`); // prettier-ignore
      const only = rows.length === 1 && columns.length === 2;
      if (only)
        return zh
          ? `${names[0]}的${columns[1]?.name}是 ${formatValue(rows[0]?.[1])}。`
          : `The ${columns[1]?.name} of ${names[0]} is ${formatValue(rows[0]?.[1])}.`;
      return rows.length === 0 ? nothing(zh, of) : `${join(values, zh)}${zh ? '。' : '.'}`;
    }
    case 'rank':
    case 'group': {
      if (rows.length === 0) return nothing(zh, of);
      const ranked = rows.map(row => (zh ? `${nameOf(row[0])}（${formatValue(row[1])}）` : `${nameOf(row[0])} (${formatValue(row[1])})`));
      if (shape.kind === 'group')
        return zh
          ? `按${shape.subject}统计的${shape.measure}数：${join(ranked, zh)}。`
          : `${shape.measure} by ${shape.subject}: ${join(ranked, zh)}.`;
      const most = shape.descending ? (zh ? '最高' : 'highest') : zh ? '最低' : 'lowest';
      return zh
        ? `${of ? `${of}中，` : ''}${shape.measure}${most}的${shape.subject}：${join(ranked, zh)}。`
        : `${shape.subject} with the ${most} ${shape.measure}${of}: ${join(ranked, zh)}.`;
    }
    case 'entity':
      return rows.length === 0 ? nothing(zh, of) : zh ? `找到：${join(names, zh)}。` : `Found: ${join(names, zh)}.`;
    case 'list':
      if (rows.length === 0) return zh ? `没有找到${of ? `与${of}相关的` : ''}${shape.subject}。` : `No ${shape.subject} found${of}.`;
      return zh
        ? `${of ? `${of}的` : ''}${shape.subject}共 ${names.length} 个：${join(names, zh)}。`
        : `${names.length} ${shape.subject}${of}: ${join(names, zh)}.`;
    default:
      return shape.kind satisfies never;
  }
}

/** `华东、华南`, `华东以外`; in English with what joins it to the sentence: ` for A, B excluding C since december 2025`. */
function wordLimits({ named, excluded, times }: Limits, zh: boolean): string {
  if (zh) return [...named, ...(excluded.length > 0 ? [`${excluded.join('、')}以外`] : []), ...times].join('、');
  return [
    ...(named.length > 0 ? [` for ${named.join(', ')}`] : []),
    ...(excluded.length > 0 ? [` excluding ${excluded.join(', ')}`] : []),
    ...times.map(time =>
      /^(?:since|after|before|until|between|from|last|this|today|yesterday)\b/.test(time) ? ` ${time}` : ` in ${time}`,
    ),
  ].join('');
}

/** The sentence for a metric's rows; the value is the last column. */
export function wordMetricAnswer(call: MetricCall, rows: unknown[][], language: Language): string {
  const zh = language === 'zh';
  const unit = call.unit ? ` ${call.unit}` : '';
  const limits = [...call.filters.map(filter => nameFilter(filter, zh)), ...periodOf(call, zh)];
  const valueOf = (row: unknown[]): string => `${formatValue(row.at(-1))}${unit}`;
  const first = rows[0];
  if (!first || (rows.length === 1 && first.at(-1) === null)) {
    return zh
      ? `${limits.join('，')}${limits.length > 0 ? '没有' : '没有任何'}${call.metric}的数据。`
      : `There is no ${call.metric}${limits.length > 0 ? ` for ${limits.join(', ')}` : ''}.`;
  }
  if (call.dimensions.length === 0 && !call.time?.grain) {
    return zh
      ? `${limits.join('，')}${limits.length > 0 ? '的' : ''}${call.metric}为 ${valueOf(first)}。`
      : `${call.metric}${limits.length > 0 ? ` for ${limits.join(', ')}` : ''}: ${valueOf(first)}.`;
  }
  const by = [...(call.time?.grain ? [zh ? GRAIN_ZH[call.time.grain] : call.time.grain] : []), ...call.dimensions].join(zh ? '、' : ', ');
  const values = rows.map(row => `${row.slice(0, -1).map(nameOf).join(' ')} ${valueOf(row)}`);
  return zh
    ? `${limits.join('，')}${limits.length > 0 ? '的' : ''}${call.metric}，按${by}：${join(values, zh)}。`
    : `${call.metric}${limits.length > 0 ? ` for ${limits.join(', ')}` : ''} by ${by}: ${join(values, zh)}.`;
}

function nameFilter({ op, values }: MetricCall['filters'][number], zh: boolean): string {
  const names = values.join(zh ? '、' : ', ');
  return op === 'in' ? names : zh ? `${names}以外` : `all but ${names}`;
}

const GRAIN_ZH = { day: '日', week: '周', month: '月', quarter: '季度', year: '年' };

function periodOf({ time }: MetricCall, zh: boolean): string[] {
  if (!time?.to) return [];
  const last = new Date(Date.parse(`${time.to}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  if (!time.from) return [zh ? `${last} 及以前` : `up to ${last}`];
  return [zh ? `${time.from} 至 ${last}` : `${time.from} to ${last}`];
}

function nothing(zh: boolean, of: string): string {
  return zh ? `没有找到${of ? `与${of}相关的` : ''}结果。` : `Nothing was found${of}.`;
}

function join(names: string[], zh: boolean): string {
  const shown = names.slice(0, MOST_NAMED).join(zh ? '、' : ', ');
  if (names.length <= MOST_NAMED) return shown;
  return zh ? `${shown}等` : `${shown} and ${names.length - MOST_NAMED} more`;
}

function nameOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'display' in value) return String(value.display);
  return value === null || value === undefined ? '—' : formatValue(value);
}

/** Numbers with thousands separators, all their digits kept; other values as they are. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '—';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const match = /^(-?\d+)(\.\d+)?$/.exec(text);
  if (!match || (typeof value === 'string' && /^-?0\d/.test(text))) return text;
  return `${(match[1] ?? '').replace(/\B(?=(\d{3})+$)/g, ',')}${(match[2] ?? '').replace(/\.?0+$/, '')}`;
}
