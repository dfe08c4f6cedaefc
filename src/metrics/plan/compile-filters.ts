import { addDays } from '../../text/calendar.js';
import { isDay } from './filter-checks.js';
import { type BoundColumn } from './metric-binding.js';
import { type FilterOperator, type MetricFilter } from './metric-request.js';
import { type ScanContext } from './scan-context.js';

const comparisons: Partial<Record<FilterOperator, string>> = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/**
 * Compiles a filter to a condition on its column.
 * @returns null if the filter does not fit the column; then a problem was added
 */
export function compileFilter(
  filter: MetricFilter,
  column: BoundColumn,
  index: number,
  { assembly, problems, time: { timezone }, checks }: Pick<ScanContext, 'assembly' | 'problems' | 'time' | 'checks'>,
): string | null {
  const { dialect } = assembly;
  const name = dialect.quote(column.name);
  const { op } = filter;
  const checked = checks.of(filter, column.type);
  if (checked !== null && 'field' in checked) {
    const { field, text, type } = checked;
    problems.push({ loc: ['body', 'filters', index, field], text, type });
    return null;
  }
  if (op === 'is_null' || op === 'is_not_null' || checked === null) return `${name} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
  const { type, bound, twice, isOfColumn } = checked;
  const [first = '', second = ''] = bound;
  const momentOf = (each: string): string =>
    twice.has(each) ? dialect.firstAtZone(assembly.bind(each, 'timestamp'), assembly.bind(timezone, 'text')) : assembly.bind(each, type);
  const isApart = (each: string): boolean => isDay(each) || twice.has(each);
  if (type.startsWith('timestamp') && bound.some(isApart)) {
    const plain = bound.filter(each => !isApart(each));
    const isPlain = (): string[] => (plain.length === 0 ? [] : [dialect.isAnyOf(name, assembly.bind(plain, `${type}[]`))]);
    return compileDays(op, name, { apart: bound.filter(isApart), isPlain, bound }, momentOf);
  }
  const list = `${isOfColumn ? column.type : type}[]`;
  switch (op) {
    case 'in':
      return dialect.isAnyOf(name, assembly.bind(bound, list));
    case 'not_in':
      return dialect.isNoneOf(name, assembly.bind(bound, list));
    case 'between':
      return `${name} BETWEEN ${assembly.bind(first, type)} AND ${assembly.bind(second, type)}`;
    case 'contains':
      return dialect.contains(name, assembly.bind(first, 'text'));
    case 'starts_with':
      return dialect.startsWith(name, assembly.bind(first, 'text'));
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${name} ${comparisons[op]} ${assembly.bind(first, type)}`;
    default:
      return op satisfies never;
  }
}

/**
 * Compiles a filter that compares a time column with dates. A date is the whole day: a time on 29 February is not after that date, and
 * `between` with that date as its end includes the time.
 */
function compileDays(
  op: FilterOperator,
  name: string,
  { bound, apart, isPlain }: { bound: readonly string[]; apart: readonly string[]; isPlain: () => string[] },
  bind: (value: string) => string,
): string {
  const begins = (value: string): string => `${name} >= ${bind(value)}`;
  const isBefore = (value: string): string => `${name} < ${bind(value)}`;
  const isOver = (value: string): string => (isDay(value) ? isBefore(addDays(value, 1)) : `${name} <= ${bind(value)}`);
  const isOf = (value: string): string => (isDay(value) ? `(${begins(value)} AND ${isOver(value)})` : `${name} = ${bind(value)}`);
  const isOfAny = (): string => `(${[...apart.map(isOf), ...isPlain()].join(' OR ')})`;
  const [first = '', second = ''] = bound;
  switch (op) {
    case '=':
    case 'in':
      return isOfAny();
    case '!=':
    case 'not_in':
      return `NOT ${isOfAny()}`;
    case '<':
      return isBefore(first);
    case '<=':
      return isOver(first);
    case '>':
      return isDay(first) ? begins(addDays(first, 1)) : `${name} > ${bind(first)}`;
    case '>=':
      return begins(first);
    case 'between':
      return `(${begins(first)} AND ${isOver(second)})`;
    default:
      throw new Error(`${op} compares no times`);
  }
}
