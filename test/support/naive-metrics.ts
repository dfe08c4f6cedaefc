/**
 * Computes metrics row by row and period by period from the definitions in metrics.md, without any code of the compiler. Days are numbers
 * that count from 1970-01-01.
 */
export type Grain = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export interface Fact {
  table: string;
  /** The local day, null if it has none. */
  day: number | null;
  /** The number of the row, which orders facts of the same channel. */
  id: number;
  /** The local time in days, with the precision of the time column. */
  moment: number | null;
  dimensions: Record<string, string | null>;
  numbers: Record<string, number | null>;
  flag: boolean;
}

export type Expression =
  | Leaf
  | { kind: 'number'; value: number }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Expression; right: Expression }
  | {
      kind: 'window';
      from: 'start' | { startOf: Grain } | { count: number; grain: Grain };
      day: 'LAST' | 'FIRST' | 'AVERAGE';
      of: Expression;
    }
  | { kind: 'change'; count: number; grain: Grain | 'period'; mode: 'RATE' | 'DIFF' | 'VALUE'; whole?: boolean; of: Expression }
  | { kind: 'share'; within: string[]; of: Expression }
  | { kind: 'conversion'; base: Leaf; event: Leaf; within: { count: number; grain: Grain } | null; mode: 'RATE' | 'COUNT' };

export type Leaf = { kind: 'leaf'; table: string; fn: LeafFunction; flagged: boolean; byKey?: boolean };

export type LeafFunction = 'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'DISTINCT' | 'MEDIAN' | 'P75' | 'WAVG' | 'FIRST' | 'LAST';

export interface NaiveRequest {
  dimensions: string[];
  grain: Grain | null;
  from: number | null;
  to: number | null;
  weekStart: 'monday' | 'sunday';
  fill: 'none' | 'null' | 'zero';
  /** Keeps the facts of those groups by `by` in which `of` is above `value`. `of` covers all time, or with `inRange` the range. */
  above?: { by: string; of: Expression; value: number; inRange: boolean };
}

interface Axis {
  /** The frame of a window. `at` is its last day, if that is one of several days of a period. */
  window?: Extract<Expression, { kind: 'window' }> & { at?: number };
  change?: Extract<Expression, { kind: 'change' }>;
  within?: string[];
}

export interface NaiveRow {
  key: (string | null)[];
  values: (number | null)[];
}

export function dayOf(text: string): number {
  return Date.parse(`${text}T00:00Z`) / 86_400_000;
}

export function textOf(day: number, grain?: Grain | null): string {
  const text = new Date(day * 86_400_000).toISOString();
  // All tests use zones of China and Singapore, which are eight hours ahead of UTC.
  return grain === 'hour' ? `${text.slice(0, 16)}+08:00` : text.slice(0, 10);
}

export function startOf(day: number, grain: Grain, weekStart: NaiveRequest['weekStart']): number {
  const date = new Date(day * 86_400_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (grain === 'hour') return Math.floor(day * 24 + 1e-6) / 24;
  if (grain === 'week') return day - ((date.getUTCDay() + (weekStart === 'monday' ? 6 : 0)) % 7);
  if (grain === 'day') return day;
  return Date.UTC(year, grain === 'year' ? 0 : grain === 'quarter' ? month - (month % 3) : month, 1) / 86_400_000;
}

const months: Partial<Record<Grain, number>> = { month: 1, quarter: 3, year: 12 };

/** Moves a day by `count` grains. In a shorter month, it becomes the last day. */
export function later(day: number, count: number, grain: Grain): number {
  const size = months[grain];
  if (size === undefined) return day + count * (grain === 'week' ? 7 : 1);
  const date = new Date(day * 86_400_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + size * count];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(last, date.getUTCDate())) / 86_400_000;
}

export function evaluate(roots: readonly Expression[], given: readonly Fact[], request: NaiveRequest): NaiveRow[] {
  const { grain, from, to, weekStart, fill } = request;
  const facts = request.above ? given.filter(isAbove(request.above, given, request)) : given;
  const scans = roots.flatMap(root => scansOf(root, {}));
  const read = facts.filter(fact => scans.some(({ table, base }) => fact.table === table && (!base?.flagged || fact.flag)));
  const next = (day: number): number => later(day, 1, grain!);
  const inRange = (day: number | null): boolean => {
    if (day === null) return from === null && to === null;
    return (from === null || day >= from) && (to === null || day < to);
  };

  const frames = new Map<string, (fact: Fact) => boolean>();
  /** Returns a function that checks whether a fact counts for a period. */
  const counts = (period: number | null, axis: Axis): ((fact: Fact) => boolean) => {
    const key = JSON.stringify([period, axis.window, axis.change]);
    const known = frames.get(key) ?? byDay(frameOf(period, axis));
    frames.set(key, known);
    return known;
  };
  /** Caches the result by day. That is exact for grains of a day or longer: their frame has all facts of a day or none. */
  function byDay(frame: (fact: Fact) => boolean): (fact: Fact) => boolean {
    const days = new Map<number | null, boolean>();
    return fact => {
      const known = days.get(fact.day) ?? frame(fact);
      days.set(fact.day, known);
      return known;
    };
  }
  function frameOf(period: number | null, { window, change }: Axis): (fact: Fact) => boolean {
    if (!window && !change)
      return fact => {
        const at = grain === 'hour' ? fact.moment : fact.day;
        return inRange(fact.day) && (grain === null || (at === null ? period === null : startOf(at, grain, weekStart) === period));
      };
    if (grain !== null && period === null) return () => false;
    const [first, end] = daysOf(period, change);
    if (!window) return ({ day }) => day !== null && day >= first && day < end;
    if (window.day === 'AVERAGE' && window.at === undefined) {
      const ofDays = Array.from({ length: end - first }, (_, index) =>
        frameOf(period, { change: change!, window: { ...window, at: first + index } }),
      );
      return fact => ofDays.some(counts => counts(fact));
    }
    const at = window.at ?? (window.day === 'FIRST' ? first : end - 1);
    const source = window.from;
    if (source === 'start') return ({ day }) => day !== null && day <= at;
    if ('startOf' in source) return ({ day }) => day !== null && day >= startOf(at, source.startOf, weekStart) && day <= at;
    const isOfWholes = window.at === undefined && months[source.grain] !== undefined && (grain === null || months[grain] !== undefined);
    const start = isOfWholes && window.day === 'LAST' ? later(end, -source.count, source.grain) : -Infinity;
    return ({ day }) => day !== null && day > later(at, -source.count, source.grain) && day >= start && day <= at;
  }
  /** The days of a period within the range, moved back as the change says. */
  function daysOf(period: number | null, change: Axis['change']): [first: number, end: number] {
    const back = (day: number): number => {
      if (!change) return day;
      if (change.grain === 'period') return later(day, -change.count, grain!);
      return grain === 'week' && change.grain === 'year' ? day - 364 * change.count : later(day, -change.count, change.grain);
    };
    if (grain === null) return [back(from!), Math.max(back(to!), back(to! - 1) + 1)];
    const base = back(period!);
    const first = from !== null && from > period! && !change?.whole ? base + (from - period!) : base;
    const isCut = to !== null && to < next(period!) && !change?.whole;
    return [first, isCut ? Math.min(next(base), base + (to - period!)) : next(base)];
  }

  const tupleOf = (fact: Fact): string => JSON.stringify(request.dimensions.map(name => fact.dimensions[name] ?? null));
  const dated = read.flatMap(fact => fact.day ?? []);
  const hasAxes = scans.some(({ axis }) => axis.window ?? axis.change);
  const periods = listPeriods();
  const present = new Map<string, { period: number | null; tuple: string }>();
  for (const period of periods)
    for (const { table, axis, base } of scans) {
      const isCounted = counts(period, axis);
      for (const fact of read) {
        const tuple = tupleOf(fact);
        if (base?.flagged && !fact.flag) continue;
        if (fact.table === table && isCounted(fact)) present.set(JSON.stringify([period, tuple]), { period, tuple });
      }
    }
  if (grain === null && request.dimensions.length === 0) present.set(JSON.stringify([null, '[]']), { period: null, tuple: '[]' });
  const rows = new Map([...present].map(([key, row]) => [key, { ...row, isPresent: true }]));
  if (fill !== 'none' && grain !== null)
    for (let period = startOf(from!, grain, weekStart); period < to!; period = next(period))
      for (const tuple of request.dimensions.length === 0 ? ['[]'] : new Set([...present.values()].map(each => each.tuple))) {
        const key = JSON.stringify([period, tuple]);
        if (!rows.has(key)) rows.set(key, { period, tuple, isPresent: false });
      }

  return [...rows.values()].map(({ period, tuple, isPresent }): NaiveRow => {
    const values = roots.map(root => valueOf(root, { period, tuple, isPresent }, {}));
    const key = [...(grain === null ? [] : [period === null ? null : textOf(period, grain)]), ...(JSON.parse(tuple) as (string | null)[])];
    return { key, values };
  });

  function listPeriods(): (number | null)[] {
    if (grain === null) return [null];
    const listed = new Set<number | null>(
      read
        .filter(fact => inRange(fact.day))
        .map(({ day, moment }) => (day === null ? null : startOf(grain === 'hour' ? moment! : day, grain, weekStart))),
    );
    if (!hasAxes || (dated.length === 0 && (from === null || to === null))) return [...listed];
    const end = to ?? Math.max(...dated) + 1;
    for (let period = startOf(from ?? Math.min(...dated), grain, weekStart); period < end; period = next(period)) listed.add(period);
    return [...listed];
  }

  function valueOf(node: Expression, row: { period: number | null; tuple: string; isPresent: boolean }, axis: Axis): number | null {
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'binary':
        return combine(node.op, valueOf(node.left, row, axis), valueOf(node.right, row, axis));
      case 'window':
        return node.day === 'AVERAGE' ? meanOf(node, row, axis) : valueOf(node.of, row, { ...axis, window: node });
      case 'change': {
        const before = valueOf(node.of, row, { ...axis, change: node });
        if (node.mode === 'VALUE') return before;
        const change = combine('-', valueOf(node.of, row, axis), before);
        return node.mode === 'DIFF' ? change : combine('/', change, before);
      }
      case 'share':
        return combine('/', valueOf(node.of, row, axis), valueOf(node.of, row, { ...axis, within: node.within }));
      case 'conversion':
        return conversionOf(node, row);
      case 'leaf':
        return leafOf(node, row, axis);
      default:
        return node satisfies never;
    }
  }

  /** The mean over the days of a period. Days without rows are left out, or count as zero with `fill: zero`. */
  function meanOf(
    node: Extract<Expression, { kind: 'window' }>,
    row: { period: number | null; tuple: string; isPresent: boolean },
    axis: Axis,
  ): number | null {
    const { of } = node;
    if (axis.change?.grain === 'year' && grain === 'week' && isWeek53(row.period!)) return null;
    if (grain !== null && row.period === null) return of.kind === 'leaf' ? leafOf(of, row, { ...axis, window: node }) : null;
    const [first, end] = daysOf(row.period, axis.change);
    const values = Array.from({ length: end - first }, (_, index) => {
      const ofDay = { ...axis, window: { ...node, at: first + index } };
      const isPresent = scansOf(of, ofDay).some(({ table }) => groupOf(table, row, ofDay).length > 0);
      return isPresent || fill === 'zero' ? valueOf(of, { ...row, isPresent }, ofDay) : null;
    });
    const known = values.filter(value => value !== null);
    if (known.length > 0) return known.reduce((sum, value) => sum + value, 0) / known.length;
    if (of.kind !== 'leaf') return null;
    const counts = of.fn === 'COUNT' || of.fn === 'DISTINCT';
    return fill === 'zero' || (counts && row.isPresent && !axis.change && scans.length > 1) ? 0 : null;
  }

  function conversionOf(
    { base, event, within, mode }: Extract<Expression, { kind: 'conversion' }>,
    { period, tuple, isPresent }: { period: number | null; tuple: string; isPresent: boolean },
  ): number | null {
    const isOf = (leaf: Leaf, fact: Fact): boolean => fact.table === leaf.table && (!leaf.flagged || fact.flag);
    // Tables have different kinds of time, so events of another table than the base are compared by day.
    const timeOf = (fact: Fact): number => (base.table === event.table ? fact.moment! : fact.day!);
    const bases = facts.filter(fact => isOf(base, fact) && inRange(fact.day));
    // Filters apply to base events only, so the other events come from the unfiltered facts.
    const credited = given.flatMap(fact => {
      if (!isOf(event, fact) || fact.day === null || fact.numbers.key === null) return [];
      const before = bases.filter(other => other.day !== null && other.numbers.key === fact.numbers.key && timeOf(other) <= timeOf(fact));
      const [latest] = before.sort((a, b) => timeOf(b) - timeOf(a) || byIdentity(b, a));
      if (!latest) return [];
      const day = Math.floor(timeOf(fact));
      const bound = within && later(day, -within.count, within.grain) + (timeOf(fact) - day);
      return bound !== null && timeOf(latest) <= bound + 1e-9 ? [] : [latest];
    });
    const isHere = (fact: Fact): boolean =>
      tupleOf(fact) === tuple && (grain === null || (fact.day === null ? null : startOf(fact.day, grain, weekStart)) === period);
    const [count, all] = [credited.filter(isHere).length, bases.filter(isHere).length];
    if (all === 0 && !isPresent) return fill === 'zero' && mode === 'COUNT' ? 0 : null;
    // Without credited facts, a rate is null unless it is filled with zero, as a sum is.
    return mode === 'COUNT' ? count : combine('/', count === 0 && fill !== 'zero' ? null : count, all);
  }

  /** Orders by channel, facts without a channel last, then by id. */
  function byIdentity(a: Fact, b: Fact): number {
    const [first, second] = [a, b].map(({ dimensions: { channel } }) => channel ?? '\uffff') as [string, string];
    return first === second ? a.id - b.id : first < second ? -1 : 1;
  }

  function leafOf(
    { table, fn, flagged, byKey = false }: Leaf,
    { period, tuple, isPresent }: { period: number | null; tuple: string; isPresent: boolean },
    axis: Axis,
  ): number | null {
    if (axis.change?.grain === 'year' && grain === 'week' && isWeek53(period!)) return null;
    const isCounted = counts(period, axis);
    const ofPeriod = read.filter(fact => fact.table === table && isCounted(fact));
    const group = groupOf(table, { period, tuple }, axis);
    const taken = group.filter(fact => !flagged || fact.flag);
    const value =
      fn === 'FIRST' || fn === 'LAST'
        ? pick(fn, taken, byKey ? ofPeriod.filter(fact => !flagged || fact.flag) : null)
        : aggregate(fn, taken);
    if (fill === 'zero') return value ?? 0;
    if (axis.window?.at !== undefined && group.length === 0 && !(isPresent && (fn === 'COUNT' || fn === 'DISTINCT'))) return null;
    if (fn !== 'COUNT' && fn !== 'DISTINCT') return value;
    // Without a grain and dimensions there is one group, even if it has no rows.
    if (group.length > 0 || (grain === null && request.dimensions.length === 0)) return value;
    return axis.change || !isPresent ? null : 0;
  }

  function groupOf(table: string, { period, tuple }: { period: number | null; tuple: string }, axis: Axis): Fact[] {
    const values = JSON.parse(tuple) as (string | null)[];
    const kept = axis.within ?? request.dimensions;
    const isCounted = counts(period, axis);
    return read.filter(
      fact =>
        fact.table === table &&
        isCounted(fact) &&
        request.dimensions.every((name, index) => !kept.includes(name) || (fact.dimensions[name] ?? null) === values[index]),
    );
  }

  function isWeek53(period: number): boolean {
    const thursday = period + (weekStart === 'sunday' ? 1 : 0) + 3;
    return Math.floor((thursday - startOf(thursday, 'year', 'monday')) / 7) + 1 === 53;
  }
}

/** The filter of `above`. It drops facts that have no value of the dimension. */
function isAbove({ by, of, value, inRange }: NonNullable<NaiveRequest['above']>, all: readonly Fact[], request: NaiveRequest) {
  const { above: _, ...rest } = request;
  const range = inRange ? {} : { from: null, to: null };
  const rows = evaluate([of], all, { ...rest, ...range, dimensions: [by], grain: null, fill: 'none' });
  const kept = new Set(rows.filter(row => (row.values[0] ?? -Infinity) > value).map(row => row.key[0]));
  return (fact: Fact): boolean => fact.dimensions[by] != null && kept.has(fact.dimensions[by]);
}

/** The tables and frames whose rows make a tuple appear in a period. */
function scansOf(node: Expression, axis: Axis): { table: string; axis: Axis; base?: Leaf }[] {
  switch (node.kind) {
    case 'conversion':
      return [{ table: node.base.table, axis, base: node.base }];
    case 'leaf':
      return [{ table: node.table, axis }];
    case 'number':
      return [];
    case 'binary':
      return [...scansOf(node.left, axis), ...scansOf(node.right, axis)];
    case 'window':
      return scansOf(node.of, { ...axis, window: node });
    case 'change':
      return [...(node.mode === 'VALUE' ? [] : scansOf(node.of, axis)), ...scansOf(node.of, { ...axis, change: node })];
    case 'share':
      return scansOf(node.of, axis);
    default:
      return node satisfies never;
  }
}

function combine(op: '+' | '-' | '*' | '/', left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null;
  if (op === '/') return right === 0 ? null : left / right;
  return op === '+' ? left + right : op === '-' ? left - right : left * right;
}

/** The sum over the facts of the first or last moment. With `keyed`, each key has a first or last moment of its own among those facts. */
function pick(fn: 'FIRST' | 'LAST', facts: Fact[], keyed: Fact[] | null): number | null {
  const isPicked = (fact: Fact): boolean => {
    const others = (keyed ?? facts).filter(other => other.moment !== null && (!keyed || other.numbers.key === fact.numbers.key));
    const moments = others.map(other => other.moment!);
    return fact.moment !== null && fact.moment === (fn === 'LAST' ? Math.max(...moments) : Math.min(...moments));
  };
  return aggregate('SUM', facts.filter(isPicked));
}

function aggregate(fn: Exclude<LeafFunction, 'FIRST' | 'LAST'>, facts: Fact[]): number | null {
  if (fn === 'COUNT') return facts.length;
  if (fn === 'DISTINCT') return new Set(facts.flatMap(fact => fact.numbers.key ?? [])).size;
  if (fn === 'WAVG') {
    const complete = facts.filter(({ numbers }) => numbers.amount !== null && numbers.weight !== null);
    const total = complete.reduce((sum, { numbers }) => sum + numbers.weight!, 0);
    return total === 0 ? null : complete.reduce((sum, { numbers }) => sum + numbers.amount! * numbers.weight!, 0) / total;
  }
  const amounts = facts.flatMap(fact => fact.numbers.amount ?? []).sort((a, b) => a - b);
  if (amounts.length === 0) return null;
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  switch (fn) {
    case 'SUM':
      return sum;
    case 'AVG':
      return sum / amounts.length;
    case 'MIN':
      return amounts[0]!;
    case 'MAX':
      return amounts.at(-1)!;
    case 'MEDIAN': {
      const middle = (amounts.length - 1) / 2;
      return (amounts[Math.floor(middle)]! + amounts[Math.ceil(middle)]!) / 2;
    }
    case 'P75':
      return amounts[Math.ceil(0.75 * amounts.length) - 1]!;
    default:
      return fn satisfies never;
  }
}
