import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Pattern } from '../../src/metrics/formula/formula-tree.js';
import { compileMetrics } from '../../src/metrics/plan/compile-metric.js';
import { type MetricDefinition, type ResolvedMetric, resolveMetric } from '../../src/metrics/plan/resolve-metric.js';
import { type CompiledStatement, RowsOf } from '../../src/metrics/plan/sql-assembly.js';
import { NotInDialectError } from '../../src/metrics/translate/not-in-dialect.error.js';
import { type GoldenCase, goldenCases, type GoldenPlace, goldenRows, goldenZone, naiveRequest } from './golden-metrics.js';
import { nothing } from './metric-tables.js';
import { evaluate } from './naive-metrics.js';
import { type RandomBindings, textOfFormula } from './random-metric.js';
import { factOf, salesBindings, salesBindingsOn, withoutZeros } from './sales-tables.js';

const folder = path.join(__dirname, '..', 'golden', 'metrics');
export const places: GoldenPlace[] = ['postgres', 'mysql', 'duckdb', 'clickhouse'];

/** The schema of the tables on each other database. If a database does not run, only the text of its SQL is compared. */
export const schemas: Record<Exclude<GoldenPlace, 'postgres'>, string> = { mysql: 'sales', duckdb: 'main', clickhouse: 'sales' };

export function bindingsAt(place: GoldenPlace): RandomBindings {
  return place === 'postgres' ? salesBindings : salesBindingsOn({ dialect: place, schema: schemas[place] });
}

export interface Compiled {
  formula: string;
  pattern: Pattern;
  statement: CompiledStatement & { timezone: string };
}

/** Returns the formula as a user writes it. The metrics that it refers to are added to `definitions`. */
function formulaOf({ metric }: GoldenCase, definitions: MetricDefinition[] = [], bindings = salesBindings): string {
  const formula = textOfFormula(metric, definitions, bindings);
  return formula.startsWith('(') ? formula.slice(1, -1) : formula;
}

/** Returns the filter on an aggregate as text, such as `SUM(amount) by channel > 32`. */
function filterOf({ above }: GoldenCase): string | undefined {
  return above && `${textOfFormula(above.of, [], salesBindings)} by ${above.by} > ${above.value}`;
}

export function compileAt(golden: GoldenCase, place: GoldenPlace): Compiled | NotInDialectError {
  const bindings = bindingsAt(place);
  const definitions: MetricDefinition[] = [];
  const formula = formulaOf(golden, definitions, bindings);
  const resolve = (text: string): ResolvedMetric =>
    resolveMetric({ id: 1, name: 'm', formula: text, binding: bindings.sales }, name => definitions.filter(each => each.name === name));
  const metric = resolve(formula);
  const { dimensions, grain, from, to, fill } = golden.request;
  const time = {
    ...(grain && { grain }),
    ...(from && { from }),
    ...(to && { to }),
    ...(fill !== 'none' && { fill }),
    timezone: goldenZone,
  };
  try {
    const filters = golden.channel === undefined ? [] : [{ field: 'channel', op: '=' as const, value: golden.channel }];
    const { above } = golden;
    const filtersByMetric = above
      ? [
          {
            ...above,
            metric: resolve(textOfFormula(above.of, definitions, bindings)),
            op: '>' as const,
            value: String(above.value),
            index: 0,
          },
        ]
      : [];
    const statement = compileMetrics([{ name: 'value', metric }], { ...nothing, dimensions, time, filters, filtersByMetric });
    return { formula, pattern: metric.pattern, statement };
  } catch (error) {
    if (error instanceof NotInDialectError) return error;
    throw error;
  }
}

/** Writes a row of results. Numbers have at most ten decimals, so that a third can be written. */
export function statedRow(row: readonly (string | number | null)[], keys: number): string {
  const stated = row.map((value, index) =>
    value === null ? 'NULL' : index < keys ? String(value) : withoutZeros(Number(value).toFixed(10)),
  );
  return `--   ${stated.join(' | ')}`;
}

export function keysOf({ request: { grain, dimensions } }: GoldenCase): number {
  return (grain === null ? 0 : 1) + dimensions.length;
}

export function byText(rows: string[]): string[] {
  return rows.sort((a, b) => (a < b ? -1 : 1));
}

export function naiveRows(golden: GoldenCase): string[] {
  const rows = goldenRows.filter(({ channel }) => golden.channel === undefined || channel === golden.channel);
  const facts = rows.map(row => factOf(row, 8));
  const request = { ...naiveRequest(golden.request), ...(golden.above && { above: golden.above }) };
  const evaluated = evaluate([golden.metric], facts, request);
  return byText(evaluated.map(({ key, values }) => statedRow([...key, ...values], keysOf(golden))));
}

export function fileOf(pattern: Pattern): string {
  return path.join(folder, `${pattern}.sql`);
}

/** Reads the expected rows of each case from the golden file, in the order of the cases. */
export function rowsStated(pattern: Pattern): string[][] {
  if (!existsSync(fileOf(pattern))) return [];
  return readFileSync(fileOf(pattern), 'utf8')
    .split('-- Rows\n')
    .slice(1)
    .map(text => {
      const lines = text.split('\n');
      return lines.slice(0, lines.indexOf(''));
    });
}

function listOf(values: readonly unknown[], placeholder: (index: number) => string): string[] {
  if (values.length === 0) return [];
  return [`-- ${values.map((value, index) => `${placeholder(index)} = ${String(value)}`).join(', ')}`];
}

/** Writes the scans on another database in the order in which they run, each with its parameters. */
function scansAt(place: GoldenPlace, { elsewhere }: CompiledStatement): string[] {
  return elsewhere.flatMap((scan, index) => {
    const values = scan.parameters.map(each => {
      if ('list' in each) return each.parts > 1 ? `part ${each.part + 1} of the list` : 'the list';
      return 'value' in each ? each.value : `time ${each.computed + 1}`;
    });
    const lists = scan.parameters.flatMap(each => ('list' in each ? each.list : []));
    const { constants } = scan;
    return [
      ...(constants
        ? [
            `-- The times of statement ${index + 1}, on PostgreSQL`,
            ...listOf(constants.parameters, at => `$${at + 1}`),
            `${constants.sql};`,
          ]
        : []),
      ...[...new Set(lists)].flatMap(({ sql, parameters }) => [
        `-- The list of statement ${index + 1}, on PostgreSQL`,
        ...listOf(parameters.map(shownValue), at => `$${at + 1}`),
        `${sql};`,
      ]),
      `-- Statement ${index + 1}, on ${place}`,
      ...listOf(values, at => (place === 'mysql' ? '?' : place === 'duckdb' ? `$${at + 1}` : `p${at + 1}`)),
      `${scan.sql};`,
    ];
  });
}

function shownValue(value: unknown): unknown {
  return value instanceof RowsOf ? `the rows of statement ${value.position}` : value;
}

function restOf({ sql, parameters }: CompiledStatement): string {
  return [...listOf(parameters.map(shownValue), at => `$${at + 1}`), `${sql};`].join('\n');
}

/**
 * Writes the sections of a golden file for one case, one for each database. The final statement on PostgreSQL is often the same for several
 * databases, and is then written only once.
 */
function sectionsOf(golden: GoldenCase): string[] {
  const rests = new Map<string, GoldenPlace>();
  return places.flatMap(place => {
    const title = ['', `-- == ${place} == Risk: ${golden.risks[place]}`];
    const compiled = compileAt(golden, place);
    if (compiled instanceof NotInDialectError) return [...title, `-- ${compiled.code}: ${compiled.text.en}`];
    const rest = restOf(compiled.statement);
    if (place === 'postgres') return [...title, rest];
    const same = rests.get(rest);
    if (!same) rests.set(rest, place);
    const last = same ? [`-- The rest, on PostgreSQL: that of ${same}`] : ['-- The rest, on PostgreSQL', rest];
    return [...title, ...scansAt(place, compiled.statement), ...last];
  });
}

export function textOf(pattern: Pattern): string {
  const stated = rowsStated(pattern);
  const parts = goldenCases[pattern].flatMap((golden, index) => [
    ...(index === 0 ? [] : ['', '']),
    `-- ${pattern} ${index + 1}: ${golden.title}`,
    `-- ${formulaOf(golden)}, ${JSON.stringify({ ...golden.request, channel: golden.channel, above: filterOf(golden) })} in ${goldenZone}`,
    '-- Rows',
    ...(stated[index] ?? naiveRows(golden)),
    ...sectionsOf(golden),
  ]);
  return `${parts.join('\n')}\n`;
}
