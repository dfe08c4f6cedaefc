import { type MetricBinding } from '../../src/metrics/plan/metric-binding.js';
import { type MetricDefinition } from '../../src/metrics/plan/resolve-metric.js';
import { type Dice } from './dice.js';
import { dayOf, type Expression, type Grain, type Leaf, type LeafFunction, type NaiveRequest } from './naive-metrics.js';

/** Bindings of the tables that random formulas read. */
export interface RandomBindings {
  sales: MetricBinding;
  returned: MetricBinding;
}

const grains: Grain[] = ['day', 'week', 'month', 'quarter', 'year'];

export function randomRequest(dice: Dice): NaiveRequest {
  const grain = dice.chance(0.85) ? dice.of(grains) : null;
  const from = dice.between(dayOf('2019-10-01'), dayOf('2021-01-31'));
  const to = from + dice.between(1, grain === 'day' ? 60 : 500);
  const isBounded = grain === null ? dice.chance(0.7) : dice.chance(0.75);
  const range = isBounded
    ? { from, to }
    : dice.of([
        { from: null, to: null },
        { from, to: null },
        { from: null, to },
      ]);
  const fill = isBounded && grain !== null ? dice.of(['none', 'none', 'null', 'zero'] as const) : 'none';
  const dimensions = dice.of([[], ['地区'], ['channel'], ['地区', 'channel'], ['channel', '地区']]);
  return { dimensions, grain, ...range, weekStart: dice.of(['monday', 'sunday']), fill };
}

export function isComparable(root: Expression): boolean {
  return !some(root, node => node.kind === 'change' || node.kind === 'share' || node.kind === 'conversion');
}

export function randomComparison(dice: Dice, { grain, from, to }: NaiveRequest): { count: number; unit: Grain; whole?: boolean } | null {
  if (grain === null && (from === null || to === null)) return null;
  const unit = grain === null || grain === 'day' ? dice.of(grains) : dice.of(grains.slice(grains.indexOf(grain)));
  const isWhole = grain !== 'week' || unit === 'week' || unit === 'year';
  return { count: dice.between(1, 3), unit: isWhole ? unit : 'week', ...(grain !== null && dice.chance(0.4) && { whole: true }) };
}

export function comparedWith(of: Expression, { count, unit, whole }: { count: number; unit: Grain; whole?: boolean }): Expression[] {
  return (['VALUE', 'DIFF', 'RATE'] as const).map(mode => ({ kind: 'change', count, grain: unit, mode, ...(whole && { whole }), of }));
}

export function randomFilter(dice: Dice, { from, to }: NaiveRequest): NonNullable<NaiveRequest['above']> {
  const leaf = (): Expression => ({
    kind: 'leaf',
    table: dice.chance(0.6) ? 'sales' : 'returned',
    fn: dice.of(['SUM', 'COUNT', 'DISTINCT', 'AVG'] as const),
    flagged: dice.chance(0.3),
  });
  const of: Expression = dice.chance(0.7) ? leaf() : { kind: 'binary', op: '-', left: leaf(), right: leaf() };
  const inRange = (from !== null || to !== null) && dice.chance(0.5);
  return { by: dice.of(['地区', 'channel']), of, value: dice.between(-5, 40), inRange };
}

export function randomRoot(dice: Dice, request: NaiveRequest): Expression {
  const canFrame = request.grain !== null || (request.from !== null && request.to !== null);
  const leaf = (): Expression => {
    const fns: LeafFunction[] = [
      'SUM',
      'COUNT',
      'DISTINCT',
      ...(request.fill === 'zero' ? [] : (['AVG', 'MIN', 'MAX', 'MEDIAN', 'P75', 'WAVG', 'FIRST', 'LAST'] as const)),
    ];
    return {
      kind: 'leaf',
      table: dice.chance(0.75) ? 'sales' : 'returned',
      fn: dice.of(fns),
      flagged: dice.chance(0.3),
      byKey: dice.chance(0.6),
    };
  };
  const simple = (): Expression => {
    if (dice.chance(0.65)) return leaf();
    return { kind: 'binary', op: dice.of(['+', '-', '/']), left: leaf(), right: leaf() };
  };
  const window = (): Expression => {
    const from = dice.of(['start' as const, { startOf: dice.of(grains.slice(1)) }, { count: dice.between(1, 9), grain: dice.of(grains) }]);
    const hasMeans = request.from !== null && request.to !== null;
    if (hasMeans && dice.chance(0.25)) return { kind: 'window', from, day: 'AVERAGE', of: request.fill === 'zero' ? leaf() : simple() };
    return { kind: 'window', from, day: dice.chance(0.8) ? 'LAST' : 'FIRST', of: simple() };
  };
  const inner = (): Expression => (dice.chance(0.4) && canFrame ? window() : simple());
  const change = (): Expression => {
    const offsets: [number, Grain | 'period'][] = {
      none: [
        [1, 'year'],
        [1, 'month'],
        [3, 'day'],
      ] as [number, Grain][],
      day: [
        [1, 'period'],
        [1, 'month'],
        [1, 'year'],
        [14, 'day'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      week: [
        [1, 'period'],
        [1, 'year'],
        [2, 'week'],
        [14, 'day'],
      ] as [number, Grain | 'period'][],
      month: [
        [1, 'period'],
        [1, 'year'],
        [5, 'month'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      quarter: [
        [1, 'period'],
        [1, 'year'],
        [6, 'month'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      year: [
        [1, 'period'],
        [1, 'year'],
        [12, 'month'],
      ] as [number, Grain | 'period'][],
      // The grain `hour` has random requests of its own, in random-hours.spec.ts.
      hour: [] as [number, Grain][],
    }[request.grain ?? 'none'];
    const [count, grain] = dice.of(offsets);
    return { kind: 'change', count, grain, mode: dice.of(['RATE', 'DIFF', 'VALUE']), of: inner() };
  };
  const share = (): Expression => ({ kind: 'share', within: request.dimensions.filter(() => dice.chance(0.3)), of: inner() });
  const counted = (): Leaf => ({ kind: 'leaf', table: dice.of(['sales', 'returned']), fn: 'COUNT', flagged: dice.chance(0.3) });
  const conversion = (): Expression => {
    const within = dice.chance(0.6) ? { count: dice.between(1, 40), grain: dice.of(grains) } : null;
    const base = counted();
    const event = { ...counted(), ...(base.table === 'returned' && { table: 'sales' }) };
    return { kind: 'conversion', base, event, within, mode: dice.of(['RATE', 'COUNT']) };
  };
  const one = (): Expression => {
    const kinds = canFrame ? [simple, window, change, share, conversion] : [simple, share, conversion];
    return dice.of(kinds)();
  };
  return dice.chance(0.75) ? one() : { kind: 'binary', op: dice.of(['+', '-', '*', '/']), left: one(), right: one() };
}

const leafTexts: Record<LeafFunction, string> = {
  SUM: 'SUM(amount',
  COUNT: 'COUNT(*',
  AVG: 'AVG(amount',
  MIN: 'MIN(amount',
  MAX: 'MAX(amount',
  DISTINCT: 'COUNT(DISTINCT key',
  MEDIAN: 'MEDIAN(amount',
  P75: 'PERCENTILE(amount, 0.75, DISC',
  WAVG: 'WAVG(amount, weight',
  FIRST: 'FIRST(amount',
  LAST: 'LAST(amount',
};

/** The text of the formula. Leaves of the other table become metrics of their own, which are added to `definitions`. */
export function textOfFormula(node: Expression, definitions: MetricDefinition[], bindings: RandomBindings): string {
  const text = (each: Expression): string => textOfFormula(each, definitions, bindings);
  switch (node.kind) {
    case 'leaf': {
      const by = node.byKey && (node.fn === 'FIRST' || node.fn === 'LAST') ? ' BY key' : '';
      const formula = `${leafTexts[node.fn]}${by}${node.flagged ? ' WHERE flag' : ''})`;
      if (node.table === 'sales') return formula;
      const name = `r${definitions.length}`;
      definitions.push({ id: 10 + definitions.length, name, formula, binding: bindings.returned });
      return `[${name}]`;
    }
    case 'number':
      return String(node.value);
    case 'binary':
      return `(${text(node.left)} ${node.op} ${text(node.right)})`;
    case 'window': {
      const at = node.day === 'LAST' ? '' : `, ${node.day}`;
      if (node.from === 'start') return `CUMULATIVE(${text(node.of)}${at})`;
      if ('startOf' in node.from) return `TO_DATE(${text(node.of)}, ${node.from.startOf.toUpperCase()}${at})`;
      return `ROLLING(${text(node.of)}, ${node.from.count} ${node.from.grain.toUpperCase()}${at})`;
    }
    case 'change':
      if (node.grain === 'period') return `POP(${text(node.of)}, ${node.mode})`;
      return `GROWTH(${text(node.of)}, ${node.count} ${node.grain.toUpperCase()}, ${node.mode})`;
    case 'share':
      return `SHARE(${text(node.of)}${node.within.length > 0 ? ` WITHIN ${node.within.join(', ')}` : ''})`;
    case 'conversion': {
      const [base, event] = [node.base, node.event].map(leaf => {
        const name = `c${definitions.length}`;
        const formula = `COUNT(*${leaf.flagged ? ' WHERE flag' : ''})`;
        definitions.push({ id: 10 + definitions.length, name, formula, binding: bindings[leaf.table as keyof RandomBindings] });
        return name;
      });
      const within = node.within ? ` WITHIN ${node.within.count} ${node.within.grain.toUpperCase()}` : '';
      return `CONVERSION([${base}] -> [${event}] BY key${within}, ${node.mode})`;
    }
    default:
      return node satisfies never;
  }
}

export function some(node: Expression, test: (node: Expression) => boolean): boolean {
  if (test(node)) return true;
  if (node.kind === 'binary') return some(node.left, test) || some(node.right, test);
  if (node.kind === 'conversion') return some(node.base, test) || some(node.event, test);
  return 'of' in node && typeof node.of === 'object' && some(node.of, test);
}

export function usesSales(root: Expression): boolean {
  return some(root, node => node.kind === 'leaf' && node.table === 'sales');
}

export function readsTime(root: Expression): boolean {
  return some(root, node => node.kind === 'window' || node.kind === 'change' || node.kind === 'conversion');
}

export function needsWeeks(root: Expression, grain: Grain | null): boolean {
  return (
    grain === 'week' ||
    some(root, node => node.kind === 'window' && typeof node.from === 'object' && 'startOf' in node.from && node.from.startOf === 'week')
  );
}
