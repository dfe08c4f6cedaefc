import { grains } from './metric-request.js';
import { type CompiledScan, type ScanContext } from './scan-context.js';
import { timeColumn } from './compile-relation.js';
import { localColumn, periodKey, rangeConditions, rawTime } from './compile-time.js';
import { type Grain } from '../formula/formula-tree.js';
import { type BoundColumn, type BoundTime, findEntity, type MetricBinding } from './metric-binding.js';
import { type Column, type Events, type Scan } from './plan-metric.js';
import { rowsOf } from './scan-rows.js';
import { namedKeys } from './select-groups.js';

/**
 * Counts base events and the events that are credited to them, each to the latest base event of its entity at or before it. Both
 * stand in one list, ordered by entity and time, in which each base event begins a run; so each event is read once, however many its
 * entity has. Range, filters and clause choose base events before attribution; events may lie behind the range (metrics.md A.7).
 */
export function compileConversion(scan: Scan & { events: Events }, index: number, context: ScanContext): CompiledScan {
  const { binding, events } = scan;
  const { time, assembly, isLevelled } = context;
  assembly.refuseElsewhere('CONVERSION');
  const { dayToLocal, earlier, later, quote, startOf } = assembly.dialect;
  const [bound, eventTime] = [binding.time, events.binding.time];
  if (!bound || !eventTime) throw new Error('A conversion needs time columns');
  const part = (letter: string): string => assembly.part(`${letter}${index}`);
  const [base, credited] = [...scan.columns.values()] as [Column, Column];
  const unit = commonGrain(bound, eventTime);
  const momentOf = (of: BoundTime): string => {
    const local = localColumn(time.timezone, of, assembly);
    return unit === null ? local : startOf(local, unit, time.weekStart);
  };
  const embedAll = ({ args, where }: Pick<Column, 'args' | 'where'>): string[] => [
    ...args.map(each => `${assembly.embed(each)} IS NOT NULL`),
    ...where.map(each => assembly.embed(each)),
  ];

  const keys = binding.grain.map((expression, at): BoundColumn => ({ name: `__key${at}`, expression, type: '' }));
  const rows = rowsOf(scan, context, [entityOf(binding, events.entity), ...keys]);
  const periods =
    time.grain === null ? [] : namedKeys({ keys: [periodKey({ ...time, grain: time.grain }, bound, assembly)], dimensions: [] });
  const period = periods.map(({ sql, name }) => `${sql} AS "${name}"`);
  const outer = [...(time.grain === null ? [] : ['"period"']), ...rows.dimensions.map((_, at) => `"d${at}"`)];
  const identity = keys.map(({ name }) => quote(name));
  const bases = [
    `SELECT ${[...period, ...rows.dimensions.map((sql, at) => `${sql} AS "d${at}"`), ...identity, `${momentOf(bound)} AS "at"`, '"__entity"'].join(', ')}`,
    `FROM ${rows.from(true)}`,
    ...where([...rangeConditions(time, bound, assembly), ...rows.conditions, ...embedAll(base)]),
  ].join('\n  ');

  const own = { ...credited, args: events.args, where: events.where };
  const source = { binding: events.binding, clause: null, columns: new Map([['', own]]) };
  const eventRows = rowsOf(source, { ...context, request: { ...context.request, dimensions: [], filters: [], filtersByMetric: [] } }, [
    entityOf(events.binding, events.entity),
  ]);
  const column = quote(timeColumn);
  const bind = (value: string): string => assembly.bind(value, 'timestamp');
  const raw = (local: string): string => rawTime(local, time.timezone, eventTime, assembly);
  const first = time.from === null ? [] : [`${column} >= ${raw(startOf(bind(time.from), unit ?? 'day', time.weekStart))}`];
  const span = events.within && { count: events.within.count, unit: events.within.unit as Grain };
  const last =
    time.to === null || !span ? [] : [`${column} < ${raw(later(later(bind(time.to), span.count, span.unit), 1, unit ?? 'day'))}`];
  const eventSelect = [
    `SELECT ${momentOf(eventTime)} AS "at", "__entity"`,
    `FROM ${eventRows.from(true)}`,
    ...where([...first, ...last, `${column} IS NOT NULL`, '"__entity" IS NOT NULL', ...embedAll(own)]),
  ].join('\n  ');

  const none = [...outer, ...identity].map(name => `NULL AS ${name}`);
  const listed = [...outer, ...identity, '"at"', '"__entity"'];
  const order = ['"at"', '"kind"', ...identity, ...outer].join(', ');
  const ofBase = (name: string): string => `FIRST_VALUE(${name}) OVER (PARTITION BY "__entity", "run" ORDER BY "kind")`;
  const inTime = span ? ` AND "base" > ${earlier('"at"', span.count, span.unit)}` : '';
  const count = `COUNT(*) FILTER (WHERE "kind" = 1${inTime})`;
  const group = outer.length > 0 ? `\n  GROUP BY ${outer.join(', ')}` : '';
  const reading = [
    `${part('x')} AS (\n  ${bases}\n)`,
    `${part('y')} AS (\n  ${eventSelect}\n)`,
    `${part('v')} AS (
  SELECT *, SUM(1 - "kind") OVER (PARTITION BY "__entity" ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS "run"
  FROM (
    SELECT ${[...listed, '0 AS "kind"'].join(', ')} FROM ${part('x')}
    UNION ALL
    SELECT ${[...none, '"at"', '"__entity"', '1'].join(', ')} FROM ${part('y')}
  ) AS e\n)`,
    `${part('w')} AS (
  SELECT ${[...outer.map(name => `${ofBase(name)} AS ${name}`), '"kind"', '"at"', `${ofBase('"at"')} AS "base"`].join(', ')}
  FROM ${part('v')} WHERE "run" > 0\n)`,
    `${part('f')} AS (
  SELECT ${[
    ...outer,
    ...(isLevelled ? ['0 AS "level"'] : []),
    `COUNT(*) FILTER (WHERE "kind" = 0) AS ${quote(base.name)}`,
    `${events.countsNone ? count : `NULLIF(${count}, 0)`} AS ${quote(credited.name)}`,
  ].join(', ')}
  FROM ${part('w')}${group}\n)`,
  ];
  const days = time.grain === null ? '' : `SELECT ${dayToLocal('"period"')} AS "day" FROM ${part('f')}`;
  return { reading, days, joining: null };
}

function entityOf(binding: MetricBinding, name: string): BoundColumn {
  const entity = findEntity(binding, name);
  if (!entity) throw new Error('The entities of a conversion have been checked');
  return { ...entity, name: '__entity' };
}

function where(conditions: string[]): string[] {
  return conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : [];
}

/** The coarser of two columns' grains, if they differ. A date says nothing about the time of day. */
function commonGrain(a: BoundTime, b: BoundTime): Grain | null {
  const [first, second] = [a, b].map(time => grains.indexOf(time.min_grain)) as [number, number];
  if (first !== second) return grains[Math.max(first, second)]!;
  return a.type === b.type || (a.type !== 'date' && b.type !== 'date') ? null : a.min_grain;
}
