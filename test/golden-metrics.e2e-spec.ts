import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { type Pattern } from '../src/metrics/formula/formula-tree.js';
import { compileMetrics } from '../src/metrics/plan/compile-metric.js';
import { type MetricRequest } from '../src/metrics/plan/metric-request.js';
import { resolveMetric } from '../src/metrics/plan/resolve-metric.js';
import { type CompiledStatement } from '../src/metrics/plan/sql-assembly.js';
import { bindScans } from '../src/metrics/translate/fill-rows.js';
import { NotInDialectError } from '../src/metrics/translate/not-in-dialect.error.js';
import { type SqlStatement } from '../src/sql/sql-parameters.js';
import { loadSqlParser } from '../src/sql-guard/sql-parser.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { cloneDatabase } from './support/database.js';
import { type EventPlan, explaining, fillEvents, readEventPlan } from './support/event-plans.js';
import {
  bindingsAt,
  byText,
  compileAt,
  type Compiled,
  fileOf,
  keysOf,
  naiveRows,
  places,
  rowsStated,
  schemas,
  statedRow,
  textOf,
} from './support/golden-files.js';
import { type GoldenCase, goldenCases, type GoldenPlace, goldenRows, goldenZone } from './support/golden-metrics.js';
import { nothing } from './support/metric-tables.js';
import { fillSales, withoutZeros } from './support/sales-tables.js';
import { onEngines } from './support/tier.js';
import { computingOn, describeOnEngines, type ForeignEngine, runTranslated, startEngines } from './support/translations.js';

/**
 * The committed SQL of each pattern on each database. `UPDATE_GOLDEN=1` writes the SQL anew but keeps the rows in a file. The rows are
 * compared with the naive evaluation and with the results of each database.
 */
const updates = process.env.UPDATE_GOLDEN === '1';
const patterns = Object.keys(goldenCases) as Pattern[];
const numbered = patterns.flatMap(pattern => goldenCases[pattern].map((golden, index) => ({ pattern, index, golden })));

describe('the SQL of each pattern', () => {
  beforeAll(() => loadSqlParser());

  it.each(patterns)('is what the file %s has', pattern => {
    const text = textOf(pattern);
    if (updates) writeFileSync(fileOf(pattern), text);
    expect(text).toBe(readFileSync(fileOf(pattern), 'utf8'));
  });

  it.each(numbered)('has rows in its file that are those of the definition: $pattern, $golden.title', ({ pattern, index, golden }) => {
    expect(naiveRows(golden)).toEqual(rowsStated(pattern)[index]);
  });

  (onEngines ? describeOnEngines : describe.skip)('run', () => {
    let database: Awaited<ReturnType<typeof cloneDatabase>>;
    let postgres: pg.Client;
    let engines: ForeignEngine[] = [];
    const clients = new Map<GoldenPlace, WarehouseClient>();

    beforeAll(async () => {
      database = await cloneDatabase();
      postgres = new pg.Client(database.url);
      await postgres.connect();
      await postgres.query(`SET timezone = '${goldenZone}'`);
      for (const statement of fillSales('postgres', goldenRows)) await postgres.query(statement);
      engines = await startEngines();
      for (const engine of engines) {
        expect(engine.schema).toBe(schemas[engine.dialect]);
        await engine.run(...fillSales(engine.dialect, goldenRows));
        clients.set(engine.dialect, await engine.open());
      }
    });
    afterAll(async () => {
      await postgres?.end();
      await database?.drop();
      for (const client of clients.values()) await client.close();
      for (const engine of engines) await engine.close();
    });

    async function rowsAt(place: GoldenPlace, golden: GoldenCase): Promise<(string | null)[][] | NotInDialectError> {
      const compiled = compileAt(golden, place);
      if (compiled instanceof NotInDialectError) return compiled;
      const { sql, parameters } = compiled.statement;
      if (place !== 'postgres') return runTranslated(compiled.statement, place, clients.get(place)!, postgres);
      return (await postgres.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' })).rows;
    }

    it.each(numbered)('gives those rows on each database: $pattern, $golden.title', async ({ pattern, index, golden }) => {
      const compiled = compileAt(golden, 'postgres') as Compiled;
      expect(compiled.pattern).toBe(pattern);
      const width = keysOf(golden) + 1;
      const trimmed = (rows: (string | null)[][]) => rows.map(row => row.slice(0, width).map(withoutZeros));
      const expected = trimmed((await rowsAt('postgres', golden)) as (string | null)[][]);
      expect(byText(expected.map(row => statedRow(row, keysOf(golden))))).toEqual(rowsStated(pattern)[index]);
      for (const place of places) {
        const rows = await rowsAt(place, golden);
        if (rows instanceof NotInDialectError) continue;
        // Each database gives all digits that PostgreSQL gives, also those that the file leaves out.
        expect({ place, rows: trimmed(rows) }).toEqual({ place, rows: expected });
      }
    });

    describe('with a plan', () => {
      beforeAll(async () => {
        for (const statement of fillEvents.postgres) await postgres.query(statement);
        for (const { dialect, run } of engines) await run(...fillEvents[dialect]);
      });

      function compileEvents(place: GoldenPlace, formula: string, request: Partial<MetricRequest>): CompiledStatement {
        const { sales } = bindingsAt(place);
        const fact = { ...sales.fact, source: { schema: place === 'postgres' ? 'mirror' : schemas[place], table: 'events' } };
        const metric = resolveMetric({ id: 1, name: 'm', formula, binding: { ...sales, fact } }, () => []);
        return compileMetrics([{ name: 'value', metric }], { ...nothing, ...request });
      }

      async function planOf(place: GoldenPlace, request: Partial<MetricRequest>): Promise<EventPlan> {
        const compiled = compileEvents(place, 'RATIO(SUM(amount WHERE flag), COUNT(DISTINCT key))', { ...request, dimensions: ['地区'] });
        const explain = explaining[place];
        if (place === 'postgres') {
          const values = compiled.parameters;
          return readEventPlan.postgres((await postgres.query<Record<string, unknown>>(`${explain}${compiled.sql}`, values)).rows);
        }
        const bound: SqlStatement[] = [];
        for await (const { statement } of bindScans([compiled], { dialect: place, compute: computingOn(postgres) })) bound.push(statement);
        expect(bound).toHaveLength(1);
        const { sql, parameters } = bound[0]!;
        const bounds = { claim: { caller: 1 }, timeoutMs: 20_000, maxRows: 1_000 };
        const { columns, rows } = await clients.get(place)!.query({ ...bounds, sql: `${explain}${sql}`, parameters });
        return readEventPlan[place](rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))));
      }

      /**
       * docs/scaling.md promises that a scan reads the rows of a binding once, finds them by the table's indexes or sort keys, and returns
       * only groups.
       */
      it.each([
        {
          what: 'a range of time',
          request: { time: { from: '2021-01-01', to: '2021-01-15', grain: 'day' as const, timezone: goldenZone } },
          found: {
            postgres: /^events_at: .*>=.*</,
            mysql: /^events_at: range$/,
            duckdb: /at>=.*at</,
            clickhouse: /^some by Min-Max/,
          },
        },
        {
          what: 'a text',
          request: { filters: [{ field: 'channel', op: '=' as const, value: 'c7' }] },
          found: {
            postgres: /^events_channel: /,
            mysql: /^events_channel: ref$/,
            duckdb: /channel='c7'/,
            clickhouse: /some by PrimaryKey/,
          },
        },
        {
          what: 'one of several texts',
          request: { filters: [{ field: 'channel', op: 'in' as const, values: ['c7', 'c8'] }] },
          found: { postgres: /^events_channel: /, mysql: /^events_channel: range$/, duckdb: /channel/, clickhouse: /some by PrimaryKey/ },
        },
      ])('reads the facts once, finds them by $what, and groups them', async ({ request, found }) => {
        for (const place of places) {
          const plan = await planOf(place, request);
          expect({ place, ...plan }).toEqual({ place, reads: 1, found: expect.stringMatching(found[place]), isGrouped: true });
        }
      });

      it('has conditions for indexes of MySQL that neither add rows nor fail: a date of zeros, a text that its column cannot hold', async () => {
        const { run } = engines.find(({ dialect }) => dialect === 'mysql')!;
        const valuesOf = async (request: Partial<MetricRequest>) => {
          const compiled = compileEvents('mysql', 'COUNT(*)', request);
          return (await runTranslated(compiled, 'mysql', clients.get('mysql')!, postgres)).map(([value]) => value);
        };
        await run("INSERT INTO events (id, at) VALUES (0, '0000-00-00')");
        // There is an event every three hours from 03:00 on, so the first day has seven.
        expect(await valuesOf({ time: { to: '2020-01-02', timezone: 'UTC' } })).toEqual(['7']);
        await run('ALTER TABLE events MODIFY channel varchar(20) CHARACTER SET latin1');
        expect(await valuesOf({ filters: [{ field: 'channel', op: 'in', values: ['c7', '茶'] }] })).toEqual(['100']);
      });
    });
  });
});
