import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { familyBookings, joinedBookings } from './metricflow/definitions.js';
import { metricflowFolder as folder, readPublishedTable, uploadPublishedTable } from './metricflow/tables.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { describeWithShared } from './support/shared-data.js';

/** Results that MetricFlow publishes, over its own tables. docs/metricflow.md lists every published case with its verdict. */
const table = path.join(__dirname, '..', 'docs', 'metricflow.md');

interface Case {
  metrics: string[];
  request?: object;
  /** The first columns, which name a row. */
  keys: number;
  /** Requests whose rows come one after the other. */
  ranges?: object[];
  isOrdered?: true;
  /** The places of our columns where they are published in another order. */
  places?: number[];
}

const day = { grain: 'day' };
const between = (from: string, to: string, more: object = {}) => ({ time: { grain: 'day', from, to, ...more } });

const ofAlienDay = (alienDay: string, from: string, to: string) => ({
  time: { grain: 'hour', from, to },
  dimensions: ['alien_day'],
  filters: [{ field: 'alien_day', op: '=', value: alienDay }],
});

/** What is expressible, by the name of the published case. */
const cases: Record<string, Case> = {
  'test_conversion_metrics/test_conversion_metric': {
    metrics: ['visit_buy_conversion_rate'],
    request: { time: day },
    keys: 1,
  },
  'test_conversion_metrics/test_conversion_metric_with_window': {
    metrics: ['visit_buy_conversion_rate_7days'],
    request: { time: day },
    keys: 1,
  },
  'test_conversion_metrics/test_conversion_metric_with_categorical_filter': {
    metrics: ['visit_buy_conversion_rate'],
    request: { time: day, dimensions: ['referrer'], filters: [{ field: 'referrer', op: '=', value: 'fb_ad_1' }] },
    keys: 2,
  },
  'test_conversion_metrics/test_conversion_metric_with_filter_not_in_group_by': {
    metrics: ['visit_buy_conversions'],
    request: { time: { from: '2020-01-01', to: '2020-01-02' } },
    keys: 0,
  },
  'test_conversion_metrics/test_conversion_metric_with_different_time_dimension_grains': {
    metrics: ['visit_buy_conversion_rate_with_monthly_conversion'],
    keys: 0,
  },
  'test_conversion_metrics/test_conversion_metric_with_metric_definition_filter': {
    metrics: ['visit_buy_conversion_rate_7days'],
    request: { time: day, filter_clause: "referrer = 'fb_ad_1'" },
    keys: 1,
  },
  'test_cumulative_metrics/test_simple_cumulative_metric': {
    metrics: ['trailing_2_months_revenue'],
    request: between('2020-02-01', '2020-05-01'),
    keys: 1,
  },
  'test_cumulative_metrics/test_multiple_cumulative_metrics': {
    metrics: ['revenue_all_time', 'trailing_2_months_revenue'],
    request: between('2020-03-31', '2020-06-01'),
    keys: 1,
  },
  'test_cumulative_metrics/test_non_additive_cumulative_metric': {
    metrics: ['every_two_days_bookers'],
    request: between('2019-12-31', '2020-01-04'),
    keys: 1,
  },
  'test_cumulative_metrics/test_grain_to_date_cumulative_metric': {
    metrics: ['revenue_mtd'],
    request: between('2021-01-03', '2021-01-07'),
    keys: 1,
  },
  'test_cumulative_metrics/test_cumulative_metric_with_non_adjustable_filter': {
    metrics: ['trailing_2_months_revenue'],
    ranges: [between('2020-03-15', '2020-03-16'), between('2020-04-30', '2020-05-01')],
    keys: 1,
  },
  'test_cumulative_metrics/test_cumulative_metric_with_metric_definition_filter': {
    metrics: ['trailing_2_months_revenue'],
    request: { ...between('2020-02-01', '2020-05-01'), filter_clause: "home_state = 'CA'" },
    keys: 1,
  },
  'test_fill_nulls_with_0/test_simple_fill_nulls_with_0_metric_time': {
    metrics: ['bookings'],
    request: between('2019-11-27', '2020-01-06', { grain: 'week', fill: 'zero' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_simple_join_to_time_spine': {
    metrics: ['bookings'],
    request: between('2019-11-27', '2020-01-06', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_fill_nulls_with_0_multi_metric_query': {
    metrics: ['bookings_or_0', 'views'],
    request: between('2019-11-27', '2020-01-06', { grain: 'week', fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_timespine_metric_with_custom_granularity_filter': {
    metrics: ['bookings_by_calendar'],
    request: {
      dimensions: ['metric_time__alien_day'],
      filters: [{ field: 'metric_time__alien_day', op: '=', value: '2020-01-02' }],
    },
    keys: 1,
  },
  'test_fill_nulls_with_0/test_fill_nulls_with_0_multi_metric_query_with_categorical_dimension': {
    metrics: ['bookings_count', 'views'],
    request: { time: day, dimensions: ['is_lux'] },
    keys: 2,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by_using_agg_time': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by_using_agg_time_and_metric_time': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_smaller_than_group_by': {
    metrics: ['archived_users'],
    request: between('2020-01-01T01:00', '2020-01-02', { fill: 'null' }),
    keys: 1,
  },
  'test_metric_filter_output/test_query_with_simple_metric_in_where_filter': {
    metrics: ['listings', 'bookings'],
    request: { dimensions: ['listing'], filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 3 }] },
    keys: 1,
  },
  'test_name_edge_cases/test_homonymous_metric_and_entity': { metrics: ['booking_value'], request: { time: day }, keys: 1 },
  'test_offset_metrics/test_offset_window_with_grain_smaller_than_offset_non_default': {
    metrics: ['bookings', 'bookings_1_year_ago', 'bookings_yoy'],
    request: { time: { grain: 'month', to: '2022-01-01' } },
    keys: 1,
  },
  'test_offset_metrics/test_offset_window_with_grain_matching_offset': {
    metrics: ['bookings', 'bookings_1_month_ago', 'bookings_mom'],
    request: { time: { grain: 'month', to: '2021-01-01' } },
    keys: 1,
  },
  'test_offset_metrics/test_offset_window_with_cumulative_input_metric': {
    metrics: ['trailing_7_days_bookings', 'trailing_7_days_bookings_offset_1_week'],
    request: { time: { ...day, to: '2021-02-01' } },
    keys: 1,
  },
  'test_query_output/test_aliases_with_metrics': {
    metrics: ['bookings'],
    request: {
      time: day,
      dimensions: ['listing', 'capacity'],
      filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 2 }],
    },
    keys: 3,
  },
  'test_query_output/test_derived_metric_alias': {
    metrics: ['booking_fees'],
    request: { time: day, filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 2 }] },
    keys: 1,
  },
  'test_query_output/test_multiple_time_spines': {
    metrics: ['archived_users_or_null', 'archived_users_in_3_hours'],
    ranges: [ofAlienDay('2020-01-02', '2019-12-28', '2020-01-01'), ofAlienDay('2020-01-03', '2020-01-01', '2020-01-04')],
    keys: 2,
    places: [1, 0, 2, 3],
  },
  'test_query_output/test_saved_query_with_order_by_and_limit': {
    metrics: ['bookings', 'views'],
    request: {
      time: day,
      dimensions: ['capacity'],
      order: [{ by: 'period', dir: 'desc' }, { by: 'capacity' }, { by: 'bookings', dir: 'desc' }, { by: 'views' }],
      limit: 10,
    },
    keys: 2,
    isOrdered: true,
  },
  'test_query_output/test_scd_group_by_without_metric_time': {
    metrics: ['family_bookings'],
    request: { dimensions: ['listing__capacity'] },
    keys: 1,
  },
  'test_query_output/test_semi_additive_measure_with_where_filter': {
    metrics: ['current_account_balance_by_user'],
    request: { dimensions: ['user'], filters: [{ field: 'account_type', op: '=', value: 'savings' }] },
    keys: 1,
  },
};

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

/** Every case that is published for an engine, or whose request is. */
function publishedCases(): string[] {
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

/** Our value as published if it is the same: exactly, or half a unit of the sixth digit away, since it rounds a double. */
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

  async function rowsOf({ metrics, request = {}, ranges = [request], places }: Case): Promise<string[][]> {
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

  it.each(Object.keys(cases))('%s', async name => {
    const asked = cases[name]!;
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
    expect(rows.map(([name]) => name)).toEqual(publishedCases());
    expect(rows.filter(([, verdict]) => verdict !== 'equal' && verdict !== 'not expressible')).toEqual([]);
    expect(rows.filter(([, verdict, reason]) => verdict !== 'equal' && reason === '')).toEqual([]);
    const equal = rows.filter(([, verdict]) => verdict === 'equal').map(([name]) => name);
    expect(equal).toEqual(Object.keys(cases).sort());
  });
});
