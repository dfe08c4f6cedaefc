import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { familyBookings, joinedBookings } from './metricflow/definitions.js';
import { type PublishedCase, publishedCases } from './metricflow/published-cases.js';
import { metricflowFolder as folder, readPublishedTable, uploadPublishedTable } from './metricflow/tables.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { describeWithShared } from './support/shared-data.js';

/**
 * The page with a verdict on each published case. This test compares our results with those that MetricFlow publishes for its own tables.
 */
const table = path.join(__dirname, '..', 'docs', 'metricflow.md');

function readPublished(name: string): string[][] {
  const [group, test] = name.split('/') as [string, string];
  const file = ['Postgres', 'DuckDB']
    .map(engine => path.join(folder, 'expected', engine, group))
    .find(each => listed(each).includes(`${test}.txt`));
  const lines = readFileSync(path.join(file!, `${test}.txt`), 'utf8').split('\n');
  const rule = lines.findIndex(line => /^-+(\s+-+)+$|^-{4,}$/.test(line.trim()) && line.trim() !== '---');
  const spans = [...lines[rule]!.matchAll(/-+/g)].map(match => [match.index, match.index + match[0].length] as const);
  return lines
    .slice(rule + 1)
    .filter(line => line.trim() !== '')
    .map(line => spans.map(([start, end]) => line.slice(start, end).trim()));
}

function listed(of: string): string[] {
  try {
    return readdirSync(of);
  } catch {
    return [];
  }
}

/** The names of all cases whose result for an engine, or at least whose request, is published. */
function namesOfPublished(): string[] {
  const names = new Set(Object.keys(JSON.parse(readFileSync(path.join(folder, 'expected/queries.json'), 'utf8')) as object));
  for (const engine of ['Postgres', 'DuckDB'])
    for (const group of listed(path.join(folder, 'expected', engine)))
      for (const file of listed(path.join(folder, 'expected', engine, group))) names.add(`${group}/${file.replace('.txt', '')}`);
  return [...names].sort();
}

function textOf(cell: unknown): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const time = /^(\d{4}-\d\d-\d\d)(T(?!00:00)\d\d:\d\d)?/.exec(text);
  if (time) return time[1]! + (time[2] ?? '');
  return /^(true|false)$/i.test(text) ? text.toLowerCase() : text;
}

/**
 * Returns the published value if ours equals it, otherwise ours. The published double is rounded, so ours may differ by half a unit of its
 * sixth digit.
 */
function asPublished(ours: string, published: string): string {
  const isNumber = (text: string) => /^-?[\d.]+(e[-+]?\d+)?$/.test(text);
  if (!isNumber(ours) || !isNumber(published)) return ours;
  const [a, b] = [Number(ours), Number(published)];
  const half = 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(b) || 1)) - 5);
  return a === b || (b !== 0 && published.replace(/\D|^0+/g, '').length >= 5 && Math.abs(a - b) <= half * (1 + 1e-9)) ? published : ours;
}

describeWithShared('the published results of MetricFlow', 'data/metricflow', () => {
  let test: TestApp;
  let editor: Client;
  let graphId: number;
  const ids = new Map<string, number>();

  beforeAll(async () => {
    test = await startTestApp();
    editor = await test.asUser('lin');
    await grantConnection(test, 'lin');
    graphId = (await editor.post('/api/graphs').send({ name: 'metricflow' }).expect(201)).body.id;
    for (const file of listed(path.join(folder, 'tables/simple_model')))
      await uploadPublishedTable(test, readPublishedTable(`simple_model/${path.basename(file, '.yaml')}`));
    for (const spine of ['mf_time_spine', 'mf_time_spine_hour'])
      await uploadPublishedTable(test, readPublishedTable(`time_spine_table/${spine}`));
    const listings = { table: 'dim_listings_latest', alias: 'l' };
    const ofListing = (fact: string) => ({
      joins: [{ ...listings, on: [[`${fact}.listing_id`, 'l.listing_id']] }],
      dimensions: [
        { name: 'is_lux', column: 'l.is_lux' },
        { name: 'capacity', column: 'l.capacity' },
      ],
      entities: [{ name: 'listing', column: `${fact}.listing_id` }],
    });
    const bookings = { relation: { table: 'fct_bookings' }, grain: ['ds'], time: { column: 'ds' }, ...ofListing('fct_bookings') };
    const views = { relation: { table: 'fct_views' }, grain: ['ds'], time: { column: 'ds' }, ...ofListing('fct_views') };
    const latest = {
      relation: { table: 'dim_listings_latest' },
      time: { column: 'created_at' },
      entities: [{ name: 'listing', column: 'listing_id' }],
    };
    const user = { entities: [{ name: 'user', column: 'user_id' }] };
    const visits = {
      relation: { table: 'fct_visits' },
      time: { column: 'ds' },
      dimensions: [{ name: 'referrer', column: 'referrer_id' }],
      columns: { user_id: 'user_id', referrer: 'referrer_id' },
      ...user,
    };
    const buys = { relation: { table: 'fct_buys' }, time: { column: 'ds' }, ...user };
    const revenue = {
      relation: { table: 'fct_revenue' },
      grain: ['created_at'],
      time: { column: 'created_at' },
      joins: [{ table: 'dim_users_latest', alias: 'u', on: [['fct_revenue.user_id', 'u.user_id']] }],
      columns: { revenue: 'fct_revenue.revenue', home_state: 'u.home_state_latest' },
    };
    const archived = { relation: { table: 'dim_users' }, time: { column: 'archived_at' } };
    /** Each hour of the calendar, with the users archived in it. */
    const hours = {
      relation: {
        sql: `SELECT h.ts, d.alien_day, CASE WHEN u.archived_at IS NOT NULL THEN 1 END AS archived FROM mf_time_spine_hour h
          LEFT JOIN mf_time_spine d ON d.ds = date_trunc('day', h.ts)
          LEFT JOIN dim_users u ON date_trunc('hour', u.archived_at) = h.ts`,
      },
      time: { column: 'ts' },
      dimensions: [{ name: 'alien_day', column: 'alien_day' }],
    };
    const accounts = { relation: { table: 'fct_accounts' }, time: { column: 'ds' }, ...user };
    await define('bookings', 'SUM(1)', bookings);
    await define('bookings_count', 'COUNT(*)', bookings);
    await define('booking_value', 'SUM(booking_value)', bookings);
    await define('booking_fees', '[booking_value] * 0.05');
    await define('views', 'SUM(1)', views);
    await define('listings', 'SUM(1)', latest);
    await define('visits', 'COUNT(*)', visits);
    await define('buys', 'COUNT(*)', buys);
    await define('buys_month', 'COUNT(*)', { ...buys, time: { column: 'ds_month', min_grain: 'month' } });
    await define('visit_buy_conversion_rate', 'CONVERSION([visits] -> [buys] BY user, RATE)');
    await define('visit_buy_conversion_rate_7days', 'CONVERSION([visits] -> [buys] BY user WITHIN 7 DAY, RATE)');
    await define('visit_buy_conversions', 'CONVERSION([visits] -> [buys] BY user WITHIN 7 DAY, COUNT)');
    await define('visit_buy_conversion_rate_with_monthly_conversion', 'CONVERSION([visits] -> [buys_month] BY user WITHIN 1 MONTH, RATE)');
    await define('revenue', 'SUM(revenue)', revenue);
    await define('trailing_2_months_revenue', 'ROLLING([revenue], 2 MONTH)');
    await define('revenue_all_time', 'CUMULATIVE([revenue])');
    await define('revenue_mtd', 'MTD([revenue])');
    await define('every_two_days_bookers', 'ROLLING(COUNT(DISTINCT guest_id), 2 DAY)', bookings);
    await define('bookings_1_year_ago', 'YOY([bookings], VALUE)');
    await define('bookings_yoy', 'YOY([bookings])');
    await define('bookings_1_month_ago', 'MOM([bookings], VALUE)');
    await define('bookings_mom', 'MOM([bookings])');
    await define('trailing_7_days_bookings', 'ROLLING([bookings], 7 DAY)');
    await define('trailing_7_days_bookings_offset_1_week', 'GROWTH([trailing_7_days_bookings], 1 WEEK, VALUE)');
    await define('current_account_balance_by_user', 'LAST(account_balance)', accounts);
    await define('archived_users', 'SUM(1)', archived);
    await define('archived_users_or_null', 'SUM(archived)', hours);
    await define('archived_users_in_3_hours', 'ROLLING([archived_users_or_null], 3 HOURS)');
    await define('bookings_or_0', 'COALESCE([bookings], 0)');
    await define('bookings_by_calendar', 'SUM(1)', joinedBookings);
    await define('family_bookings', 'SUM(1)', familyBookings);
  });
  afterAll(() => test?.close());

  async function define(name: string, formula: string, binding?: object): Promise<void> {
    const body = { graph_id: graphId, name, formula, ...(binding && { binding }) };
    const response = await editor.post('/api/metrics').send(body);
    if (response.status !== 201) throw new Error(`${name}: ${response.text}`);
    ids.set(name, response.body.id);
  }

  async function rowsOf({ metrics, request = {}, ranges = [request], places }: PublishedCase): Promise<string[][]> {
    const rows: string[][] = [];
    for (const range of ranges) {
      const { filters, ...rest } = range as { filters?: { metric?: string }[] };
      const body = {
        graph_id: graphId,
        metrics: metrics.map(name => ids.get(name)),
        ...rest,
        ...(filters && { filters: filters.map(each => (each.metric ? { ...each, metric: ids.get(each.metric) } : each)) }),
      };
      const response = await editor.post('/api/metrics/query').send(body);
      if (response.status !== 200) throw new Error(response.text);
      rows.push(...(response.body.rows as unknown[][]).map(row => row.map(textOf)));
    }
    return places ? rows.map(row => places.map(place => row[place]!)) : rows;
  }

  it.each(Object.keys(publishedCases))('%s', async name => {
    const asked = publishedCases[name]!;
    const keyOf = (row: string[]) => JSON.stringify(row.slice(0, asked.keys));
    const sorted = (rows: string[][]) => (asked.isOrdered ? rows : [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
    const published = sorted(readPublished(name).map(row => row.map(textOf)));
    const ours = sorted(await rowsOf(asked));
    expect(ours.map((row, index) => row.map((cell, at) => asPublished(cell, published[index]?.[at] ?? '')))).toEqual(published);
  });

  it('are all in the table of verdicts', () => {
    const rows = [...readFileSync(table, 'utf8').matchAll(/^\| `([^`]+)` +\| (\S[^|]*) \|([^|]*)\|$/gm)].map(
      ([, name, verdict, reason]) => [name, verdict!.trim(), reason!.trim()] as const,
    );
    expect(rows.map(([name]) => name)).toEqual(namesOfPublished());
    expect(rows.filter(([, verdict]) => verdict !== 'equal' && verdict !== 'not expressible')).toEqual([]);
    expect(rows.filter(([, verdict, reason]) => verdict !== 'equal' && reason === '')).toEqual([]);
    const equal = rows.filter(([, verdict]) => verdict === 'equal').map(([name]) => name);
    expect(equal).toEqual(Object.keys(publishedCases).sort());
  });
});
