import { typeOfColumn } from './bound-sql.js';
import { kindOf } from './compare-types.js';
import { grains } from './metric-request.js';
import { type CompiledScan, type ScanContext } from './scan-context.js';
import { timeColumn } from './compile-relation.js';
import { localColumn, periodKey, rangeConditions, rawTime, startOfPeriod, timeOfPeriod } from './compile-time.js';
import { momentColumn } from './hours.js';
import { type Grain } from '../formula/formula-tree.js';
import { type BoundColumn, type BoundTime, findDimension, findEntity, type MetricBinding } from './metric-binding.js';
import { type Column, type Events, type Scan } from './plan-metric.js';
import { rowsOf, type ScanRows } from './scan-rows.js';
import { type NamedSql } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Compiles a conversion: counts base events, and the events credited to them. An event is credited to the latest base event of its entity
 * at or before the event. One list contains both kinds of events, ordered by entity and time, and each base event begins a run in it. So
 * each event is read once, however many events its entity has. Range, filters and clause select base events before events are credited.
 * Credited events may lie after the range (metrics.md A.7). Among base events at the same time, the event is credited to the last one by
 * row identity, in an order that is the same in all databases.
 */
export function compileConversion(scan: Scan & { events: Events }, index: number, context: ScanContext): CompiledScan {
  const { binding, events } = scan;
  const { time, assembly, isLevelled } = context;
  const { atZone, byBytes, earlier, later, quote, startOf } = assembly.dialect;
  const [bound, eventTime] = [binding.time, events.binding.time];
  if (!bound || !eventTime) throw new Error('A conversion needs time columns');
  const [base, credited] = [...scan.columns.values()] as [Column, Column];
  const unit = commonGrain(bound, eventTime);
  const isWithinHours = events.within?.unit === 'hour';
  if (isWithinHours) assembly.refuseElsewhere('CONVERSION … WITHIN hours');
  // If both time columns are moments, events are ordered by moments: a local time that occurs twice does not show which event was first.
  // WITHIN hours also uses moments, because it measures elapsed time, even across a clock change.
  const isOfMoments = isWithinHours || (bound.type === 'timestamptz' && eventTime.type === 'timestamptz');
  const momentOf = (of: BoundTime): string => {
    if (isOfMoments) return momentColumn(of, assembly);
    const local = localColumn(time.timezone, of, assembly);
    return unit === null ? local : startOf(local, unit, time.weekStart);
  };
  const localOf = (name: string): string => (isOfMoments ? atZone(name, assembly.bind(time.timezone, 'text')) : name);
  const embedAll = (of: ScanRows, { args, where }: Pick<Column, 'args' | 'where'>): string[] => [
    ...args.map(each => of.kept(`${assembly.embed(each)} IS NOT NULL`, each)),
    ...where.map(each => of.kept(assembly.embed(each), each)),
  ];

  const { grain } = time;
  const period = grain === null ? null : periodKey({ ...time, grain }, bound, assembly);
  const identity = identityOf(binding, assembly);
  const rows = rowsOf(scan, context, [entityOf(binding, events.entity), ...identity]);
  const dimensions = context.request.dimensions.map((name, at) => ({ name: `d${at}`, type: findDimension(binding, name)?.type ?? '' }));
  // True if the time of a base event alone determines its period and its order. Then no other columns of base events are carried along.
  const isTold =
    dimensions.length === 0 && !isWithinHours && grain !== 'hour' && (grain === null || unit === null || isPartOf(unit, grain));
  const ofGroup: (NamedSql & { type: string })[] = [
    ...(period ? [{ sql: period.sql, name: 'period', type: 'timestamp' }] : []),
    ...dimensions.map((dimension, at) => ({ ...dimension, sql: rows.dimensions[at]! })),
  ];
  const ofIdentity = identity.map(({ name, type }) => ({ sql: quote(name), name, type }));
  const carried = isTold ? [] : [...ofGroup, ...ofIdentity];
  const ofBases = embedAll(rows, base);
  const bases = [
    `SELECT ${[...carried.map(({ sql, name }) => `${sql} AS "${name}"`), `${momentOf(bound)} AS "at"`, '"__entity"', '0 AS "kind"'].join(', ')}`,
    `FROM ${rows.from(true)}`,
    ...where([...rangeConditions(time, bound, assembly), ...rows.conditions, ...ofBases]),
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
  const ofEvents = embedAll(eventRows, own);
  const eventSelect = [
    `SELECT ${[...carried.map(() => 'NULL'), `${momentOf(eventTime)} AS "at"`, '"__entity"', '1'].join(', ')}`,
    `FROM ${eventRows.from(true)}`,
    ...where([...first, ...last, `${column} IS NOT NULL`, '"__entity" IS NOT NULL', ...ofEvents]),
  ].join('\n  ');

  const both = `(\n  ${bases}\n  UNION ALL\n  ${eventSelect}\n  ) AS e`;
  const isBase = '"kind" = 0';
  const inOrder = (order: string[]): string => `OVER (PARTITION BY "__entity" ORDER BY ${order.join(', ')} ROWS UNBOUNDED PRECEDING)`;
  const tied = [...ofIdentity, ...ofGroup].map(({ name, type }) => (kindOf(type) === 'text' ? byBytes(quote(name)) : quote(name)));
  const ofBase = (name: string): string => `FIRST_VALUE(${name}) OVER (PARTITION BY "__entity", "run" ORDER BY "kind")`;
  const attributed = isTold
    ? `(
  SELECT "kind", "at", CASE WHEN ${isBase} THEN "at" ELSE MAX("at") FILTER (WHERE ${isBase}) ${inOrder(['"at"', '"kind"'])} END AS "base"
  FROM ${both}
  ) AS w`
    : `(
  SELECT ${[...ofGroup.map(({ name }) => `${ofBase(quote(name))} AS "${name}"`), '"kind"', '"at"', `${ofBase('"at"')} AS "base"`].join(', ')}
  FROM (
  SELECT *, COUNT(*) FILTER (WHERE ${isBase}) ${inOrder(['"at"', '"kind"', ...tied])} AS "run"
  FROM ${both}
  ) AS v
  WHERE "run" > 0
  ) AS w`;
  const ofPeriod =
    isTold && grain !== null ? startOfPeriod(assembly.ifFinite('"base"', localOf('"base"')), grain, time, bound, assembly) : '"period"';
  // On MySQL a subtraction that goes below the earliest possible time gives NULL. That time would lie before every base event, so NULL
  // counts as within the span.
  const [baseTime, eventTimeOf] = ['"base"', '"at"'].map(name => (isWithinHours ? name : localOf(name))) as [string, string];
  const inTime = span ? ` AND (${baseTime} <= ${earlier(eventTimeOf, span.count, span.unit)}) IS NOT TRUE` : '';
  const count = `COUNT(*) FILTER (WHERE "kind" = 1${inTime})`;
  const final = assembly.part(`f${index}`);
  const counts = assembly.place(final, {
    from: attributed,
    conditions: isTold ? [`(${isBase} OR "base" IS NOT NULL)`] : [],
    keys: period ? [{ ...period, sql: ofPeriod }] : [],
    dimensions: dimensions.map(({ name }) => quote(name)),
    levels: [],
    isLevelled,
    measures: [
      { sql: `COUNT(*) FILTER (WHERE ${isBase})`, name: base.name },
      { sql: events.countsNone ? count : `NULLIF(${count}, 0)`, name: credited.name },
    ],
  });
  const days = grain === null ? '' : `SELECT ${timeOfPeriod('"period"', grain, assembly)} AS "day" FROM ${final}`;
  return { reading: [counts], days, joining: null };
}

/**
 * Hidden columns with the grain of the binding. They order rows of the same time. `type` is '' for expressions that are not bare columns.
 */
function identityOf(binding: MetricBinding, assembly: SqlAssembly): BoundColumn[] {
  return binding.grain.map((expression, at) => {
    const type = typeOfColumn(assembly.judge(binding, expression), binding) ?? '';
    return { name: `__key${at}`, expression, type };
  });
}

/** Whether a period of the finer grain lies in one period of the coarser grain. A week may lie in two months. */
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

/**
 * The grain to which two time columns are truncated before they are compared: the coarser of their finest grains, but at least a day. Null
 * if no truncation is needed. A date and a timestamp are always truncated, because a date has no time of day.
 */
function commonGrain(a: BoundTime, b: BoundTime): Grain | null {
  const finest = grains.indexOf('day');
  const [first, second] = [a, b].map(time => Math.max(finest, grains.indexOf(time.min_grain))) as [number, number];
  const coarser = grains[Math.max(first, second)]!;
  if (first !== second) return coarser;
  return a.type === b.type || (a.type !== 'date' && b.type !== 'date') ? null : coarser;
}
