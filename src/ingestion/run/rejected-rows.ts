import type { PoolClient } from 'pg';
import { typeText } from '../mapping/property-type.js';
import type { Rule } from '../mapping/mapping.js';
import { MAX_KEY_LENGTH } from '../staging/compile-staging.js';
import { KEY_MISSING, KEY_TOO_LONG, TYPE_FAILED } from '../staging/rule-sql.js';
import type { Reason, RejectedSample } from './run-report.js';
import type { StagedTarget } from './stage-target.js';

interface RejectedRow {
  row_no: string;
  key: string | null;
  failures: (number | null)[] | { column: number; rule: number; first: number; value: string } | { no_from: boolean; no_to: boolean };
  sample: (string | null)[] | null;
  from_key?: string | null;
  to_key?: string | null;
}

const MASK = '***';

/** Up to `limit` rejected rows of a target after row `after`, in the order of the source, with their reasons in words. */
export async function readRejected(client: PoolClient, staged: StagedTarget, after: number, limit: number): Promise<RejectedSample[]> {
  const ends = staged.target.kind === 'edge' ? ', from_key, to_key' : '';
  const { rows } = await client.query<RejectedRow>(
    `SELECT row_no, key, failures, sample${ends} FROM pg_temp.${staged.plan.table}
     WHERE failures IS NOT NULL AND row_no > $1 ORDER BY row_no LIMIT $2`,
    [after, limit],
  );
  return rows.map(row => toRejected(staged, row));
}

function toRejected(staged: StagedTarget, row: RejectedRow): RejectedSample {
  const { plan, target, report } = staged;
  const sample: Record<string, unknown> = {};
  (row.sample ?? []).forEach((value, index) => {
    const { name, isSensitive } = plan.sampled[index]!;
    sample[name] = isSensitive && value !== null ? MASK : value;
  });
  if (target.kind === 'edge') {
    addEnd(sample, target.element.from.match, row.from_key ?? null);
    addEnd(sample, target.element.to.match, row.to_key ?? null);
  }
  const isSecret = target.element.key.some(column => plan.sampled.some(({ name, isSensitive }) => name === column && isSensitive));
  return {
    target: report.target,
    row_no: Number(row.row_no),
    source_key: row.key === '' ? null : isSecret && row.key !== null ? MASK : row.key,
    reasons: reasonsOf(staged, row),
    sample,
  };
}

/** The columns of an edge's end, from the key that they make up. */
function addEnd(sample: Record<string, unknown>, match: { edgeColumn: string }[], key: string | null): void {
  const values = match.length === 1 ? [key] : key === null ? [] : (JSON.parse(key) as string[]);
  match.forEach(({ edgeColumn }, index) => (sample[edgeColumn] ??= values[index] ?? null));
}

function reasonsOf(staged: StagedTarget, row: RejectedRow): Reason[] {
  const { failures } = row;
  if (Array.isArray(failures)) {
    const [key, ...columns] = failures;
    const reasons = columns.flatMap((rule, column) =>
      rule === null ? [] : [ruleReason(staged, column, rule, row.sample?.[column] ?? null)],
    );
    return key == null ? reasons : [keyReason(staged, key), ...reasons];
  }
  if ('first' in failures) return [uniqueReason(staged, failures.column, failures.value, failures.first)];
  return endReasons(staged, row, failures);
}

function keyReason({ target }: StagedTarget, failure: number): Reason {
  const columns = target.element.key.join(', ');
  const at = { column: columns, property: null };
  switch (failure) {
    case KEY_MISSING:
      return { rule: 'required', ...at, en: `key column '${columns}' is empty`, zh: `主键列「${columns}」为空` };
    case KEY_TOO_LONG:
      return {
        rule: 'max_length',
        ...at,
        en: `the key is longer than ${MAX_KEY_LENGTH} characters`,
        zh: `主键超过 ${MAX_KEY_LENGTH} 个字符`,
      };
    default:
      throw new Error(`Unknown key failure ${failure}`);
  }
}

function uniqueReason({ target, plan }: StagedTarget, column: number, value: string, first: number): Reason {
  const { property } = target.element.columns[column]!;
  const { name, isSensitive } = plan.sampled[column]!;
  const shown = isSensitive ? MASK : value;
  return {
    rule: 'unique',
    column: name,
    property,
    en: `column '${name}': duplicate value '${shown}' (first at row ${first})`,
    zh: `列「${name}」的值 '${shown}' 重复（首次出现在第 ${first} 行）`,
  };
}

function endReasons({ target }: StagedTarget, row: RejectedRow, lost: { no_from: boolean; no_to: boolean }): Reason[] {
  if (target.kind !== 'edge') return [];
  const reason = (end: 'from' | 'to', key: string | null): Reason => {
    const { label, match } = target.element[end];
    const column = match.map(({ edgeColumn }) => edgeColumn).join(', ');
    const at = { rule: 'on_missing', column, property: null };
    if (key === null) return { ...at, en: `${end}: column '${column}' is empty`, zh: `${end}：列「${column}」为空` };
    return { ...at, en: `${end}: no node ${label} with key '${key}'`, zh: `${end}：没有主键为 '${key}' 的「${label}」节点` };
  };
  return [...(lost.no_from ? [reason('from', row.from_key ?? null)] : []), ...(lost.no_to ? [reason('to', row.to_key ?? null)] : [])];
}

function ruleReason({ target, plan }: StagedTarget, column: number, failure: number, value: string | null): Reason {
  const { property, rules } = target.element.columns[column]!;
  const { name, isSensitive } = plan.sampled[column]!;
  const shown = isSensitive ? MASK : (value ?? '');
  const at = { column: name, property };
  if (failure === TYPE_FAILED) {
    const resolved = plan.types[column]!;
    const type = resolved.name === 'numeric' ? 'decimal' : typeText(resolved);
    return {
      rule: 'type',
      ...at,
      en: `column '${name}': cannot read '${shown}' as ${type}`,
      zh: `列「${name}」：无法把 '${shown}' 解析为 ${type}`,
    };
  }
  const rule = rules[failure]!;
  const text = rule.message === null ? ruleText(rule, name, shown) : { en: rule.message, zh: rule.message };
  return { rule: rule.kind, ...at, ...text };
}

function ruleText(rule: Rule, name: string, shown: string): { en: string; zh: string } {
  const en = (text: string): string => `column '${name}': ${text}`;
  const zh = (text: string): string => `列「${name}」：${text}`;
  switch (rule.kind) {
    case 'required':
      return { en: `column '${name}' is required but empty`, zh: `列「${name}」必填，但为空` };
    case 'unique':
      return { en: en(`duplicate value '${shown}'`), zh: zh(`值 '${shown}' 重复`) };
    case 'one_of':
      return { en: en(`'${shown}' is not one of ${rule.values.join(', ')}`), zh: zh(`'${shown}' 不在 ${rule.values.join('、')} 之中`) };
    case 'pattern':
      return { en: en(`'${shown}' does not match ${rule.written}`), zh: zh(`'${shown}' 不符合 ${rule.written}`) };
    case 'min':
      return { en: en(`${shown} is below min ${rule.bound}`), zh: zh(`${shown} 小于最小值 ${rule.bound}`) };
    case 'max':
      return { en: en(`${shown} is above max ${rule.bound}`), zh: zh(`${shown} 大于最大值 ${rule.bound}`) };
    case 'min_length':
      return { en: en(`'${shown}' is shorter than min_length ${rule.length}`), zh: zh(`'${shown}' 短于 min_length ${rule.length}`) };
    case 'max_length':
      return { en: en(`'${shown}' exceeds max_length ${rule.length}`), zh: zh(`'${shown}' 超过 max_length ${rule.length}`) };
    case 'expression':
      return { en: `rule '${rule.predicate}' is false`, zh: `规则 '${rule.predicate}' 不成立` };
    default:
      return rule satisfies never;
  }
}
