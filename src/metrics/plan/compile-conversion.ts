import { grains } from './metric-request.js';
import { type CompiledScan, type ScanContext } from './scan-context.js';
import { timeColumn } from './compile-relation.js';
import { localColumn, periodKey, rangeConditions, rawTime, startOfPeriod } from './compile-time.js';
import { type Grain } from '../formula/formula-tree.js';
import { type BoundColumn, type BoundTime, findEntity, type MetricBinding } from './metric-binding.js';
import { type Column, type Events, type Scan } from './plan-metric.js';
import { rowsOf } from './scan-rows.js';
import { type NamedSql, selectGroups } from './select-groups.js';

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

  const { grain } = time;
  const period = grain === null ? null : periodKey({ ...time, grain }, bound, assembly);
  const identity = binding.grain.map((expression, at): BoundColumn => ({ name: `__key${at}`, expression, type: '' }));
  const rows = rowsOf(scan, context, [entityOf(binding, events.entity), ...identity]);
  const dimensions = rows.dimensions.map((_, at) => `"d${at}"`);
  // The time of a base event then says all that is counted by.
  const isTold = dimensions.length === 0 && (grain === null || unit === null || isPartOf(unit, grain));
  const carried: NamedSql[] = isTold
    ? []
    : [
        ...(period ? [{ sql: period.sql, name: 'period' }] : []),
        ...rows.dimensions.map((sql, at) => ({ sql, name: `d${at}` })),
        ...identity.map(({ name }) => ({ sql: quote(name), name })),
      ];
  const bases = [
    `SELECT ${[...carried.map(({ sql, name }) => `${sql} AS "${name}"`), `${momentOf(bound)} AS "at"`, '"__entity"'].join(', ')}`,
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

  const columns = carried.map(({ name }) => quote(name));
  const both = `(
    SELECT ${[...columns, '"at"', '"__entity"', '0 AS "kind"'].join(', ')} FROM ${part('x')}
    UNION ALL
    SELECT ${[...columns.map(() => 'NULL'), '"at"', '"__entity"', '1'].join(', ')} FROM ${part('y')}
  ) AS e`;
  const [ofIdentity, ofGroup] = [columns.slice(columns.length - identity.length), columns.slice(0, columns.length - identity.length)];
  const ofBase = (name: string): string => `FIRST_VALUE(${name}) OVER (PARTITION BY "__entity", "run" ORDER BY "kind")`;
  const attributed = isTold
    ? [
        `${part('w')} AS (
  SELECT "kind", "at", CASE WHEN "kind" = 0 THEN "at" ELSE
    MAX("at") FILTER (WHERE "kind" = 0) OVER (PARTITION BY "__entity" ORDER BY "at", "kind" ROWS UNBOUNDED PRECEDING) END AS "base"
  FROM ${both}\n)`,
      ]
    : [
        `${part('v')} AS (
  SELECT *, SUM(1 - "kind") OVER (PARTITION BY "__entity" ORDER BY ${['"at"', '"kind"', ...ofIdentity, ...ofGroup].join(', ')} ROWS UNBOUNDED PRECEDING) AS "run"
  FROM ${both}\n)`,
        `${part('w')} AS (
  SELECT ${[...ofGroup.map(name => `${ofBase(name)} AS ${name}`), '"kind"', '"at"', `${ofBase('"at"')} AS "base"`].join(', ')}
  FROM ${part('v')} WHERE "run" > 0\n)`,
      ];
  const ofPeriod =
    isTold && grain !== null ? startOfPeriod(assembly.ifFinite('"base"', '"base"'), grain, time, bound, assembly) : '"period"';
  const inTime = span ? ` AND "base" > ${earlier('"at"', span.count, span.unit)}` : '';
  const count = `COUNT(*) FILTER (WHERE "kind" = 1${inTime})`;
  const counts = selectGroups({
    from: part('w'),
    conditions: isTold ? ['("kind" = 0 OR "base" IS NOT NULL)'] : [],
    keys: period ? [{ ...period, sql: ofPeriod }] : [],
    dimensions,
    levels: [],
    isLevelled,
    measures: [
      { sql: 'COUNT(*) FILTER (WHERE "kind" = 0)', name: base.name },
      { sql: events.countsNone ? count : `NULLIF(${count}, 0)`, name: credited.name },
    ],
  });
  const reading = [
    `${part('x')} AS (\n  ${bases}\n)`,
    `${part('y')} AS (\n  ${eventSelect}\n)`,
    ...attributed,
    `${part('f')} AS (\n  ${counts}\n)`,
  ];
  const days = grain === null ? '' : `SELECT ${dayToLocal('"period"')} AS "day" FROM ${part('f')}`;
  return { reading, days, joining: null };
}

/** Whether the start of a row's period of the finer grain lies in the same period of the coarser one. */
function isPartOf(finer: Grain, coarser: Grain): boolean {
  return finer === coarser || (finer !== 'week' && grains.indexOf(finer) < grains.indexOf(coarser));
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
