import { type Bilingual } from '../text/bilingual.js';
import { constantText } from './constant-text.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** For each function that takes a time zone, the position of the zone among its arguments. */
const zoneAt: Readonly<Record<string, number>> = { timezone: 0, date_trunc: 2, make_timestamptz: 6 };

/**
 * Refuses a time zone that is not written in the text. PostgreSQL takes names such as `<x1>0` for zones and keeps 24 kB for each name until
 * the session ends (`pg_tzset`): a computed name for each of 43,000 rows fills a gigabyte. @throws Refusal
 */
export function checkZone(name: string, node: NodeFields, offset: number | undefined): void {
  if (!Object.hasOwn(zoneAt, name)) return;
  const args = (node.args ?? []) as unknown[];
  // `timezone(t)` is AT LOCAL, and takes no zone.
  const zone = name === 'timezone' && args.length < 2 ? undefined : args[zoneAt[name]!];
  if (zone !== undefined && !isWritten(zone)) throw new Refusal('function', name, offset, writtenZone);
}

function isWritten(node: unknown): boolean {
  const { A_Const: constant, TypeCast: cast, CoalesceExpr: choice, CaseExpr: cases } = node as Record<string, NodeFields | undefined>;
  if (constant) return constant.isnull === true || isZone(constantText(node) ?? '');
  // An interval is an offset from UTC, which PostgreSQL does not keep.
  if (cast) return nameParts((cast.typeName as NodeFields).names).at(-1) === 'interval' || isWritten(cast.arg);
  if (choice) return ((choice.args ?? []) as unknown[]).every(isWritten);
  if (!cases) return false;
  const results = (cases.args as { CaseWhen: NodeFields }[]).map(({ CaseWhen: { result } }) => result);
  return [...results, ...(cases.defresult === undefined ? [] : [cases.defresult])].every(isWritten);
}

/** Zones that this runtime knows, of some 600: it takes 0.1 ms to ask. */
const knownZones = new Set<string>();

/**
 * Whether a text is an abbreviation, an offset in quarters of an hour, or a zone that this runtime knows. PostgreSQL can keep all of these,
 * because they are few.
 */
function isZone(name: string): boolean {
  if (/^[a-z]{1,6}$/i.test(name) || /^(?:utc|gmt)?[-+]?\d{1,2}(?::?(?:00|15|30|45))?$/i.test(name)) return true;
  if (knownZones.has(name.toLowerCase())) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    knownZones.add(name.toLowerCase());
    return true;
  } catch {
    return false;
  }
}

const writtenZone: Bilingual = {
  zh: '时区须写出，如 Asia/Shanghai、+08 或 CASE … THEN 写出的时区 END；由列算出的偏移请转换为 interval',
  en: 'its time zone must be written there, such as Asia/Shanghai, +08 or CASE … THEN a written zone END; cast an offset from a column to interval',
};
