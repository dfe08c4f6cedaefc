import { type Grain } from '../formula/formula-tree.js';
import { compileConversion } from './compile-conversion.js';
import { compileMean } from './compile-mean.js';
import { timeColumn } from './compile-relation.js';
import { localColumn, periodKey, periodText, rangeConditions, rawTime, startOfPeriod, timeOfPeriod } from './compile-time.js';
import { type Frame, frameOf } from './frames.js';
import { hourBounds, hourFrame } from './hour-frames.js';
import { momentColumn } from './hours.js';
import { type BoundTime } from './metric-binding.js';
import { type Scan } from './plan-metric.js';
import { type CompiledScan, type PeriodSource, type ScanContext } from './scan-context.js';
import { rowsOf, type ScanRows } from './scan-rows.js';
import { type GroupKey, type Groups, type NamedSql, selectGroups, type TypedSql } from './select-groups.js';

/**
 * Compiles one scan: one pass over the rows of a binding that aggregates all leaves. The result is the part `f<index>` of the WITH
 * list, with the columns `period`, `d0…`, `level` and `m0…`. Filters and clause apply to the base rows, before any aggregation, window
 * or share.
 * A scan with an axis counts other rows for a period than the rows of that period. Rows of an earlier period are grouped by that
 * period, which is then found by its start. Rows of windows are grouped by day, and the days of each window are combined. If an
 * aggregate of a window cannot be computed from the aggregates of its days, each window reads the rows themselves.
 * @param levels the totals that are needed besides the rows, see `Groups`
 */
export function compileScan(scan: Scan, index: number, levels: readonly number[], context: ScanContext): CompiledScan {
  if (context.time.grain === 'hour') context.assembly.refuseElsewhere('the grain HOUR');
  const { events, mean } = scan;
  if (mean) return compileMean(mean.value, mean.name, index, context);
  if (events) return compileConversion({ ...scan, events }, index, context);
  const { window, shift } = scan.axis;
  const { time } = scan.binding;
  const compiler = new ScanCompiler(scan, index, levels, context);
  if (!time || (!window && !shift)) return compiler.ownRows(time);
  const { grain } = context.time;
  const canCombine = [...scan.columns.values()].every(({ aggregate }) => aggregate.combine);
  if (window?.day === 'AVERAGE') return compiler.meansOfDays(time, canCombine);
  if (grain === null) return compiler.rowsOfRange(time);
  if (!window) return compiler.rowsOfEarlierPeriods(time, grain);
  return canCombine ? compiler.daysInWindows(time, grain) : compiler.rowsInWindows(time);
}

class ScanCompiler {
  private readonly rows: ScanRows;
  private readonly names: { final: string; first: string; periods: string; daily: string };

  constructor(
    private readonly scan: Scan,
    index: number,
    private readonly levels: readonly number[],
    private readonly context: ScanContext,
  ) {
    const part = (letter: string): string => context.assembly.part(`${letter}${index}`);
    this.names = { final: part('f'), first: part('x'), periods: part('p'), daily: part('y') };
    this.rows = rowsOf(scan, context);
  }

  ownRows(bound: BoundTime | null): CompiledScan {
    const { time, assembly } = this.context;
    const { grain, from, to } = time;
    const keys = grain !== null && bound ? [periodKey({ ...time, grain }, bound, assembly)] : [];
    const range = bound ? rangeConditions(time, bound, assembly) : [];
    const hasTime = grain !== null || from !== null || to !== null || this.picksRows();
    const groups = this.group(this.rows.from(hasTime), keys, range);
    const days = grain === null ? '' : `SELECT ${timeOfPeriod('"period"', grain, assembly)} AS "day" FROM ${this.names.final}`;
    return { reading: [assembly.place(this.names.final, groups)], days, joining: null };
  }

  /** Compiles a request without a grain, in which the range is the only period. */
  rowsOfRange(bound: BoundTime): CompiledScan {
    const groups = this.group(this.rows.from(true), [], this.outerBounds(bound));
    return { reading: [this.context.assembly.place(this.names.final, groups)], days: '', joining: null };
  }

  rowsOfEarlierPeriods(bound: BoundTime, grain: Grain): CompiledScan {
    const { time, assembly, isLevelled } = this.context;
    const { final, first, periods } = this.names;
    const isHourly = grain === 'hour';
    // An earlier period may lie before the range.
    const base = isHourly
      ? periodKey({ ...time, grain, from: null }, bound, assembly).sql
      : startOfPeriod(this.local(bound), grain, time, bound, assembly);
    const groups = this.group(this.rows.from(true), [{ sql: base, name: 'base' }], this.outerBounds(bound), false);
    const columns = ['"__period" AS "period"', ...this.outerDimensions(), ...(isLevelled ? ['0 AS "level"'] : []), ...this.measureNames()];
    return {
      reading: [assembly.place(first, groups)],
      days: `SELECT ${isHourly ? timeOfPeriod('"base"', grain, assembly) : '"base"'} AS "day" FROM ${first}`,
      joining: source => [
        this.listPeriods(source, [{ sql: this.frame(() => source.start).base(), name: '__base' }]),
        `${final} AS (\n  SELECT ${columns.join(', ')}\n  FROM ${periods} JOIN ${first} ON "base" = "__base"\n)`,
      ],
    };
  }

  daysInWindows(bound: BoundTime, grain: Grain): CompiledScan {
    const { time, assembly, isLevelled } = this.context;
    const { window, shift } = this.scan.axis;
    const { final, first, periods } = this.names;
    const { quote } = assembly.dialect;
    const unit = window?.from === 'start' && window.day === 'LAST' && !shift ? grain : 'day';
    const { quarterOf } = assembly.dialect;
    const start = grain === 'hour' ? quarterOf(this.moment(bound)) : startOfPeriod(this.local(bound), unit, time, bound, assembly);
    const day = { sql: start, name: 'day' };
    const measures = [...this.scan.columns.values()].map(({ name, aggregate }) => ({ sql: `${aggregate.combine}(${quote(name)})`, name }));
    return {
      reading: [assembly.place(first, this.group(this.rows.from(true), [day], this.outerBounds(bound), false))],
      days: `SELECT "day" FROM ${first}`,
      joining: source => [
        this.listPeriods(source, this.bounds(source.start)),
        `${final} AS (\n  ${selectGroups({
          from: `${periods} AS "__p" JOIN ${first} ON ${this.inFrame('"day"')}`,
          conditions: [],
          keys: [framePeriod],
          dimensions: this.outerDimensions(),
          levels: this.levels,
          isLevelled,
          measures,
        })}\n)`,
      ],
    };
  }

  rowsInWindows(bound: BoundTime): CompiledScan {
    const { assembly } = this.context;
    const { from, to } = this.context.time;
    const { final, first, periods } = this.names;
    const { quote, startOf } = assembly.dialect;
    const isHourly = this.context.time.grain === 'hour';
    const column = isHourly ? this.moment(bound) : quote(timeColumn);
    const range = this.outerBounds(bound);
    const extent = (): string => {
      const time = isHourly ? column : this.local(bound);
      const ends = ['MIN', 'MAX'].map((end, index) => ({ sql: `${end}(${time})`, name: index === 0 ? 'first' : 'last' }));
      const conditions = [...range, ...this.rows.conditions];
      const none = { keys: [], dimensions: [], levels: [], isLevelled: false };
      return assembly.place(first, { from: this.rows.from(true), conditions, measures: ends, ...none });
    };
    const [firstDay, lastDay] = ['"first"', '"last"'].map(end => (isHourly ? end : startOf(end, 'day', 'monday')));
    return {
      reading: from === null || to === null ? [extent()] : [],
      days: `SELECT ${firstDay} AS "day" FROM ${first} UNION ALL SELECT ${lastDay} FROM ${first}`,
      joining: source => [
        ...this.handPeriods(source, this.rawBounds(source.start, bound)),
        assembly.place(
          final,
          this.group(`${this.rows.from(true)}\n  JOIN ${periods} AS "__p" ON ${this.inFrame(column)}`, [framePeriod], range),
        ),
      ],
    };
  }

  /** Computes the mean over the days of each period. The window of each day is aggregated first, then the mean of the days is taken. */
  meansOfDays(bound: BoundTime, canCombine: boolean): CompiledScan {
    const { time, assembly, isLevelled } = this.context;
    const { final, first, periods, daily } = this.names;
    const { quote, periods: list } = assembly.dialect;
    const range = this.outerBounds(bound);
    const period = time.grain === null ? [] : [framePeriod];
    const keys = [...period, { sql: '"__p"."__day"', name: 'day' }, { sql: '"__p"."__days"', name: '__days' }];
    const measures = [...this.scan.columns.values()].map(({ name, aggregate }) => ({ sql: `${aggregate.combine}(${quote(name)})`, name }));
    const day = { sql: startOfPeriod(this.local(bound), 'day', time, bound, assembly), name: 'day' };
    const ofDays = (): string =>
      selectGroups({
        from: `${periods} AS "__p" JOIN ${first} ON ${this.inFrame('"day"')}`,
        conditions: [],
        keys,
        dimensions: this.outerDimensions(),
        levels: this.levels,
        isLevelled,
        measures,
      });
    const ofRows = (): Groups =>
      this.group(`${this.rows.from(true)}\n  JOIN ${periods} AS "__p" ON ${this.inFrame(quote(timeColumn))}`, keys, range);
    const kept = [...(time.grain === null ? [] : ['"period"']), ...this.outerDimensions(), ...(isLevelled ? ['"level"'] : [])];
    // With `fill: zero` a day without rows counts as zero. Otherwise the mean leaves that day out.
    const mean = (name: string): string => (time.fill === 'zero' ? `SUM(${name}) / MAX("__days")` : `AVG(${name})`);
    const means = this.measureNames().map(name => `${mean(assembly.dialect.toDecimal(name))} AS ${name}`);
    const joining = ({ from, start, parts }: PeriodSource): string[] => {
      const frame = this.frame(() => start);
      const days = list(frame.days.first(), frame.days.end(), 'day', 't');
      const source = { from: from === '' ? days.from : `${from} CROSS JOIN LATERAL ${days.from}`, start, parts };
      const ofDay = [
        { sql: days.start, name: '__day', type: 'timestamp' },
        { sql: `COUNT(*) OVER (${time.grain === null ? '' : `PARTITION BY ${start}`})`, name: '__days', type: 'bigint' },
      ];
      const ofRange = canCombine
        ? [this.listPeriods(source, [...this.bounds(start, days.start), ...ofDay]), `${daily} AS (\n  ${ofDays()}\n)`]
        : [...this.handPeriods(source, [...this.rawBounds(start, bound, days.start), ...ofDay]), assembly.place(daily, ofRows())];
      return [
        ...ofRange,
        `${final} AS (\n  SELECT ${[...kept, ...means].join(', ')}\n  FROM ${daily}${kept.length > 0 ? `\n  GROUP BY ${kept.join(', ')}` : ''}\n)`,
      ];
    };
    const reading = canCombine ? [assembly.place(first, this.group(this.rows.from(true), [day], range, false))] : [];
    if (time.grain !== null) return { reading, days: '', joining };
    return {
      reading: [...reading, ...joining({ from: '', start: assembly.bind(time.from, 'timestamp'), parts: [] })],
      days: '',
      joining: null,
    };
  }

  private group(from: string, keys: GroupKey[], range: string[], isFinal = true): Groups {
    const { dimensions, measures } = this.rows;
    const totals = isFinal ? { levels: this.levels, isLevelled: this.context.isLevelled } : { levels: [], isLevelled: false };
    const conditions = [...range, ...this.rows.conditions];
    const picks = this.rows.picks(keys.map(({ sql }) => sql));
    if (picks.length === 0) return { from, conditions, keys, dimensions, measures, ...totals };
    const list = [...keys.map(({ sql }, index) => ({ sql, name: `__group${index}` })), ...picks].map(
      ({ sql, name }) => `${sql} AS "${name}"`,
    );
    const where = conditions.length > 0 ? `\n    WHERE ${conditions.join(' AND ')}` : '';
    const { alias } = this.scan.binding.fact;
    return {
      from: `(\n    SELECT *, ${list.join(', ')}\n    FROM ${from}${where}\n  ) AS ${this.context.assembly.dialect.quote(alias)}`,
      conditions: [],
      keys: keys.map((key, index) => ({ ...key, sql: `"__group${index}"` })),
      dimensions,
      measures,
      ...totals,
    };
  }

  /**
   * Conditions on the time column that keep the rows of all periods: from the start of the first period's frame to the end of the last
   * period's frame. A side without a bound has no condition.
   */
  private outerBounds(bound: BoundTime): string[] {
    const { time, assembly } = this.context;
    const { grain, from, to, weekStart } = time;
    if (grain === 'hour') return hourBounds(this.scan.axis, time, local => this.raw(local, bound), assembly);
    const { earlier, quote, startOf } = assembly.dialect;
    const column = quote(timeColumn);
    const bind = (value: string): string => assembly.bind(value, 'timestamp');
    const first = (): string => (grain === null ? bind(from ?? '') : startOf(bind(from ?? ''), grain, weekStart));
    const last = (): string => (grain === null ? bind(from ?? '') : startOf(earlier(bind(to ?? ''), 1, 'day'), grain, weekStart));
    const lower = from === null ? null : this.frame(first).lower();
    const upper = to === null ? null : this.frame(last).upper();
    return [
      ...(lower === null ? [] : [`${column} >= ${this.raw(lower, bound)}`]),
      ...(upper === null ? [] : [`${column} < ${this.raw(upper, bound)}`]),
    ];
  }

  private frame(start: () => string, day?: string): Frame {
    const { time, assembly } = this.context;
    if (time.grain === 'hour') return hourFrame(start(), this.scan.axis, time, assembly);
    return frameOf(start, this.scan.axis, time, assembly, day);
  }

  private bounds(start: string, day?: string): NamedSql[] {
    const frame = this.frame(() => start, day);
    const lower = frame.lower();
    return [...(lower === null ? [] : [{ sql: lower, name: '__lower' }]), { sql: frame.upper(), name: '__upper' }];
  }

  /** The bounds of a frame, see `bounds`, in the type of the time column, or as moments for the grain hour. */
  private rawBounds(start: string, bound: BoundTime, day?: string): TypedSql[] {
    const isHourly = this.context.time.grain === 'hour';
    const type = isHourly ? 'timestamptz' : bound.type;
    return this.bounds(start, day).map(({ sql, name }) => ({ sql: isHourly ? sql : this.raw(sql, bound), name, type }));
  }

  private inFrame(row: string): string {
    const isOpen = this.scan.axis.window?.from === 'start';
    return `${isOpen ? '' : `${row} >= "__p"."__lower" AND `}${row} < "__p"."__upper"`;
  }

  /**
   * The part of the WITH list with the periods. It computes the frame of each period once, because every row is compared with all
   * periods.
   */
  private listPeriods(source: PeriodSource, columns: NamedSql[]): string {
    return `${this.names.periods} AS ${materialized}(\n  ${selectPeriods(source, [this.period(source), ...columns])}\n)`;
  }

  /**
   * The part of the WITH list with the periods, for scans that join rows with periods. Another database gets this list as a parameter
   * instead of a part.
   */
  private handPeriods(source: PeriodSource, columns: TypedSql[]): string[] {
    const all = [this.period(source), ...columns];
    return this.context.assembly.list(this.names.periods, all, selectPeriods(source, all), source.parts, materialized);
  }

  private period({ start }: PeriodSource): TypedSql {
    const { assembly, time } = this.context;
    return { sql: time.grain === 'hour' ? start : periodText(start, time, assembly), name: '__period', type: 'text' };
  }

  private raw(local: string, bound: BoundTime): string {
    return rawTime(local, this.context.time.timezone, bound, this.context.assembly);
  }

  private moment(bound: BoundTime): string {
    const { assembly } = this.context;
    return assembly.ifFinite(assembly.dialect.quote(timeColumn), momentColumn(bound, assembly));
  }

  private local(bound: BoundTime): string {
    return localColumn(this.context.time.timezone, bound, this.context.assembly);
  }

  private picksRows(): boolean {
    return [...this.scan.columns.values()].some(({ aggregate }) => aggregate.pick);
  }

  private outerDimensions(): string[] {
    return this.rows.dimensions.map((_, index) => `"d${index}"`);
  }

  private measureNames(): string[] {
    return this.rows.measures.map(({ name }) => `"${name}"`);
  }
}

const framePeriod: NamedSql = { sql: '"__p"."__period"', name: 'period' };
const materialized = 'MATERIALIZED ';

function selectPeriods({ from }: PeriodSource, columns: readonly NamedSql[]): string {
  return `SELECT ${columns.map(({ sql, name }) => `${sql} AS "${name}"`).join(', ')}\n  FROM ${from}`;
}
