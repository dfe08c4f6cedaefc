import { type PoolClient } from 'pg';
import { Pace } from '../../common/turns/pace.js';
import { cut } from '../../text/cut.js';
import { resolvedTypeText } from '../staging/column-sql.js';
import { sampledCharacters } from '../staging/compile-staging.js';
import { maxKeyLength } from '../staging/key-text.js';
import { keyMissing, keyRounded, keyTooLong, typeFailed } from '../staging/rule-sql.js';
import { ruleText, unreadableText } from './rule-text.js';
import { type Reason, type RejectedSample } from './run-report.js';
import { type StagedTarget } from './stage-target.js';

/**
 * A value that breaks a rule which is judged over all rows. For the rule `unique`, `first` is the number of the row that has the value
 * already.
 */
interface Judged {
  rule: number;
  value: string;
  first?: number;
}

/** The ends for which no node was found. `…_alike` is the key of a node that differs only in case, blanks or zeros of numbers. */
interface LostEnds {
  no_from: boolean;
  no_to: boolean;
  from_alike?: string;
  to_alike?: string;
}

interface RejectedRow {
  row_no: string;
  key: string | null;
  failures: (number | Judged | null)[] | LostEnds;
  /** The values as text, followed by the text lengths, see `StagingPlan.sampled`; null for a row that was rejected after staging. */
  sample: (string | number | null)[] | null;
  from_key?: string | null;
  to_key?: string | null;
}

const mask = '***';
/** The most characters of one reason in one language, and of all reasons of one row together. */
const maxReason = 1_000;
const maxReasons = 32_000;
const fetchedRows = 200;
const batchRows = 2_000;
const batchCharacters = 1024 * 1024;

export interface RejectedBatch {
  rows: RejectedSample[];
  /** The same rows as the text of a JSON array. */
  json: string;
}

/**
 * Reads the first `limit` rejected rows of a target, in the order of the source, with their reasons as sentences. Batches are limited by
 * rows and by characters, because a row may have hundreds of columns.
 */
export async function* readRejected(client: PoolClient, staged: StagedTarget, limit: number): AsyncGenerator<RejectedBatch> {
  const ends =
    staged.target.kind === 'edge' ? `, left(from_key, ${maxKeyLength + 1}) AS from_key, left(to_key, ${maxKeyLength + 1}) AS to_key` : '';
  const cursor = `rejected_of_${staged.plan.table}`;
  const properties = staged.target.element.columns.map(({ property }) => property);
  // A row that was rejected after it was staged has properties but no sample.
  await client.query(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR
     SELECT row_no, left(key, ${maxKeyLength + 1}) AS key, failures, coalesce(sample, (
              SELECT jsonb_agg(left(properties ->> name, ${sampledCharacters(properties.length)}) ORDER BY at)
              FROM unnest($1::text[]) WITH ORDINALITY AS p (name, at))) AS sample${ends}
     FROM (SELECT * FROM pg_temp.${staged.plan.table} WHERE failures IS NOT NULL ORDER BY row_no LIMIT ${limit}) AS first`,
    [properties],
  );
  const pace = new Pace();
  let rows: RejectedSample[] = [];
  let texts: string[] = [];
  let characters = 0;
  const take = (): RejectedBatch => {
    const batch = { rows, json: `[${texts.join(',')}]` };
    [rows, texts, characters] = [[], [], 0];
    return batch;
  };
  for (;;) {
    const fetched = await client.query<RejectedRow>(`FETCH ${fetchedRows} FROM ${cursor}`);
    if (fetched.rows.length === 0) break;
    for (const row of fetched.rows) {
      const rejected = toRejected(staged, row);
      const text = JSON.stringify(rejected);
      rows.push(rejected);
      texts.push(text);
      characters += text.length;
      if (rows.length >= batchRows || characters >= batchCharacters) yield take();
      if (pace.isOverdue) await pace.turn();
    }
  }
  await client.query(`CLOSE ${cursor}`);
  if (rows.length > 0) yield take();
}

function toRejected(staged: StagedTarget, row: RejectedRow): RejectedSample {
  const { plan, target, report } = staged;
  const sample: Record<string, unknown> = {};
  plan.sampled.forEach(({ name, isSensitive }, index) => {
    if (row.sample === null) return;
    const value = row.sample[index] ?? null;
    sample[name] = isSensitive && value !== null ? mask : value;
  });
  if (target.kind === 'edge') {
    addEnd(sample, target.element.from.match, row.from_key ?? null);
    addEnd(sample, target.element.to.match, row.to_key ?? null);
  }
  const isSecret = target.element.key.some(column => plan.sampled.some(({ name, isSensitive }) => name === column && isSensitive));
  return {
    target: report.target,
    row_no: Number(row.row_no),
    source_key: row.key === '' || row.key === null ? null : isSecret ? mask : cut(row.key, maxKeyLength),
    reasons: shortened(reasonsOf(staged, row)),
    sample,
  };
}

/** Keeps every reason. The more reasons there are, the shorter each is cut. */
function shortened(reasons: Reason[]): Reason[] {
  const most = Math.min(maxReason, Math.floor(maxReasons / reasons.length));
  return reasons.map(reason => ({
    ...reason,
    column: reason.column && cut(reason.column, most),
    en: cut(reason.en, most),
    zh: cut(reason.zh, most),
  }));
}

/**
 * Adds the columns of an edge's end to the sample, taken from the key of the end. If the key is too long, it cannot be split, and the first
 * column gets the cut key.
 */
function addEnd(sample: Record<string, unknown>, match: { edgeColumn: string }[], key: string | null): void {
  const isWhole = key === null || cut(key, maxKeyLength) === key;
  const values = match.length === 1 || !isWhole ? [key && cut(key, maxKeyLength)] : key === null ? [] : (JSON.parse(key) as string[]);
  match.forEach(({ edgeColumn }, index) => (sample[edgeColumn] ??= values[index] ?? null));
}

function reasonsOf(staged: StagedTarget, row: RejectedRow): Reason[] {
  const { failures } = row;
  if (!Array.isArray(failures)) return endReasons(staged, row, failures);
  const [key, ...columns] = failures;
  const reasons = columns.flatMap((failure, column) => {
    if (failure === null) return [];
    return [typeof failure === 'number' ? ruleReason(staged, column, failure, row.sample) : judgedReason(staged, column, failure)];
  });
  return typeof key === 'number' ? [keyReason(staged, key), ...reasons] : reasons;
}

function keyReason({ target }: StagedTarget, failure: number): Reason {
  const columns = target.element.key.join(', ');
  const at = { column: columns, property: null };
  switch (failure) {
    case keyMissing:
      return { rule: 'required', ...at, en: `key column '${columns}' is empty`, zh: `主键列「${columns}」为空` };
    case keyTooLong:
      return {
        rule: 'max_length',
        ...at,
        en: `the key is longer than ${maxKeyLength} characters`,
        zh: `主键超过 ${maxKeyLength} 个字符`,
      };
    case keyRounded:
      return {
        rule: 'precision',
        ...at,
        en: `the key '${columns}' has more decimals than its type keeps, and rounding would make one key of several: write a type with more decimals`,
        zh: `主键「${columns}」的小数位多于其类型所保留的，四舍五入会使不同的键相同：请写小数位更多的类型`,
      };
    default:
      throw new Error(`Unknown key failure ${failure}`);
  }
}

function judgedReason({ target, plan }: StagedTarget, column: number, { rule, value, first }: Judged): Reason {
  const { property, rules } = target.element.columns[column]!;
  const { name, isSensitive } = plan.sampled[column]!;
  const shown = isSensitive ? mask : value;
  const broken = rules[rule]!;
  const text = broken.message === null ? ruleText(broken, { name, value, shown, first }) : { en: broken.message, zh: broken.message };
  return { rule: broken.kind, column: name, property, ...text };
}

function endReasons({ target }: StagedTarget, row: RejectedRow, lost: LostEnds): Reason[] {
  if (target.kind !== 'edge') return [];
  const reason = (end: 'from' | 'to'): Reason => {
    const { label, match, onMissing } = target.element[end];
    const column = match.map(({ edgeColumn }) => edgeColumn).join(', ');
    const key = row[`${end}_key`] ?? '';
    const more = [
      ...(onMissing === 'create'
        ? [{ en: ', and none can be made: the key does not fit the type of its column', zh: '，也无法建立：该键不符合其列的类型' }]
        : []),
      ...alikeText(key, lost[`${end}_alike`], match.map(({ nodeColumn }) => nodeColumn).join(', '), column),
    ];
    return {
      rule: 'on_missing',
      column,
      property: null,
      en: `${end}: no node ${label} with key '${key}'${more.map(({ en }) => en).join('')}`,
      zh: `${end}：没有主键为 '${key}' 的「${label}」节点${more.map(({ zh }) => zh).join('')}`,
    };
  };
  return [...(lost.no_from ? [reason('from')] : []), ...(lost.no_to ? [reason('to')] : [])];
}

/**
 * Describes a node whose key is almost the key of an edge's end, and how the mapping can make both keys equal. Empty without such a node.
 */
function alikeText(key: string, alike: string | undefined, nodeColumn: string, edgeColumn: string): { zh: string; en: string }[] {
  if (alike === undefined) return [];
  const shown = cut(alike, maxKeyLength);
  const withoutCase = (text: string): string =>
    text
      .toLowerCase()
      .split('"')
      .map(part => part.trim())
      .join('"');
  if (withoutCase(key) !== withoutCase(alike)) {
    return [
      {
        en: `; as a number it would equal the key '${shown}': if these are numbers and not codes, write type: bigint or type: decimal(12,2) at the key column '${nodeColumn}' of the node`,
        zh: `；按数值它等于主键 '${shown}'：若这些是数值而不是编码，请在节点的主键列「${nodeColumn}」写 type: bigint 或 type: decimal(12,2)`,
      },
    ];
  }
  return [
    {
      en: `; only case or blanks at the ends differ from '${shown}': write transform: [trim, upper] at the key column '${nodeColumn}' of the node, and at '${edgeColumn}' if the columns of the edge list it`,
      zh: `；与 '${shown}' 只有大小写或首尾空格不同：请在节点的主键列「${nodeColumn}」写 transform: [trim, upper]，若关系的 columns 列有「${edgeColumn}」也同样写`,
    },
  ];
}

function ruleReason({ target, plan }: StagedTarget, column: number, failure: number, sample: RejectedRow['sample']): Reason {
  const { property, rules } = target.element.columns[column]!;
  const { name, isSensitive } = plan.sampled[column]!;
  const value = String(sample?.[column] ?? '');
  const shown = isSensitive ? mask : value;
  const at = { column: name, property };
  if (failure === typeFailed) {
    const type = resolvedTypeText(plan.types[column]!);
    return { rule: 'type', ...at, ...unreadableText({ name, value, shown }, type) };
  }
  const rule = rules[failure]!;
  const length = Number(sample?.[plan.sampled.length + plan.lengthsOf.indexOf(column)]);
  const text = rule.message === null ? ruleText(rule, { name, value, shown, length }) : { en: rule.message, zh: rule.message };
  return { rule: rule.kind, ...at, ...text };
}
