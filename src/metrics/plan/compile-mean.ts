import { type Value } from '../patterns/metric-pattern.js';
import { compileStack } from './compile-stack.js';
import { columnsOf, compileValue } from './compile-value.js';
import { type CompiledScan, type ScanContext } from './scan-context.js';

/**
 * Compiles the part `f<index>`: the mean, over the days of each period, of a value that combines columns of other scans. These scans are
 * stacked day by day. Days without rows, or without a value, are left out.
 * @param name the name of the column of the mean
 */
export function compileMean(
  value: Value,
  name: string,
  index: number,
  { scans, request, time, isLevelled, assembly }: ScanContext,
): CompiledScan {
  const { quote } = assembly.dialect;
  const names = new Set(columnsOf(value).map(column => column.name));
  const sources = scans.flatMap((scan, at) =>
    [...scan.columns.values()].some(column => names.has(column.name)) ? [{ scan, part: assembly.part(`y${at}`) }] : [],
  );
  const joining = (): string[] => {
    const parts: string[] = [];
    const keys = [...(time.grain === null ? [] : ['"period"']), ...request.dimensions.map((_, at) => `"d${at}"`)];
    const stack = { stacked: assembly.part(`u${index}`), grouped: assembly.part(`g${index}`) };
    const days = compileStack(sources, stack, { ...time, fill: 'none' }, [...keys, '"day"'], isLevelled, false, assembly, parts);
    const kept = [...keys, ...(isLevelled ? ['"level"'] : [])];
    const mean = `AVG(${compileValue(value, column => quote(column.name), assembly.dialect)}) AS ${quote(name)}`;
    const group = kept.length > 0 ? `\n  GROUP BY ${kept.join(', ')}` : '';
    parts.push(`${assembly.part(`f${index}`)} AS (\n  SELECT ${[...kept, mean].join(', ')}\n  FROM ${days}${group}\n)`);
    return parts;
  };
  return time.grain === null ? { reading: joining(), days: '', joining: null } : { reading: [], days: '', joining };
}
