import { byRegion, dialects, MetricDialects, month, newYork, type Place, plain, plainRow, sold } from './support/metric-dialects.js';
import { describeOnEngines } from './support/translations.js';

const world = new MetricDialects();

describeOnEngines('Metrics on other databases', () => {
  beforeAll(() => world.start());
  afterAll(() => world.close());

  /** The name of each case says what could go wrong. test/golden-metrics.e2e-spec.ts has a case for each pattern. */
  const cases: [risk: string, formula: string, request?: object, binding?: object][] = [
    ['texts that a collation takes for equal', 'COUNT(*)', { dimensions: ['产品'] }],
    ['a NULL of the joined table', 'SUM(amount)', byRegion],
    ['a key of two dimensions', 'SUM(amount)', { dimensions: ['地区', '产品'] }],
    ['distinct keys in windows, over a change of the clock', 'ROLLING(COUNT_DISTINCT(product), 7 DAY)', { time: newYork }],
    ['the last rows of windows', 'CUMULATIVE(LAST(amount BY product))', { ...byRegion, time: month }],
    ['means of days of distinct keys', 'ROLLING(COUNT_DISTINCT(buyer), 20 DAY, AVERAGE)', { time: month }],
    ['the digits of a mean', 'AVG(amount)', byRegion],
    ['a mean of integers', 'AVG(quantity)', byRegion],
    ['the digits of a deviation', 'STDDEV(amount)', byRegion],
    ['the digits of a variance', 'VARIANCE(quantity)', byRegion],
    ['ends of NULLs', 'MAX(amount) - MIN(amount)', byRegion],
    ['the ends of dates', 'COUNT(*)', { dimensions: ['日'], limit: 10 }],
    ['a dimension with texts of its own', 'COUNT(*)', { dimensions: ['茶否'] }],
    ['a boolean as a dimension', 'COUNT(*)', { dimensions: ['大额'] }],
    ['an integer as a dimension', 'MAX(quantity)', { dimensions: ['级'] }],
    ['distinct texts', 'COUNT_DISTINCT(product)'],
    ['distinct tuples with NULLs', 'COUNT_DISTINCT(product, quantity)', byRegion],
    ['products of integers', 'SUM(quantity * quantity * quantity)', byRegion],
    ['floating-point numbers as decimals', 'SUM(ratio)', byRegion],
    ['products of floating-point numbers', 'SUM(ratio * quantity)', byRegion],
    ['a condition with NULL', `COUNT(* WHERE product <> 'tea' OR amount IS NULL)`],
    ['NOT IN beside NULL', `COUNT(* WHERE product NOT IN ('tea', '茶'))`],
    ['a quote in a text', `COUNT(* WHERE product = 'o''clock')`],
    ['a percent sign in a search', 'COUNT(*)', { filters: [{ field: '产品', op: 'contains', value: '%' }] }],
    ['the start of a text', 'COUNT(*)', { filters: [{ field: '产品', op: 'starts_with', value: 'te' }] }],
    ['a list of texts', 'COUNT(*)', { filters: [{ field: '产品', op: 'not_in', values: ['tea', 'té'] }] }],
    ['a list of integers', 'COUNT(*)', { filters: [{ field: 'quantity', op: 'not_in', values: [3, 8] }] }],
    ['a range of dates', 'COUNT(*)', { filters: [{ field: '日', op: 'between', values: ['2024-01-01', '2024-02-29'] }] }],
    [
      'the days of moments',
      'COUNT(*)',
      { filters: [{ field: 'at', op: 'not_in', values: ['2024-01-31', '2024-02-10'] }], time: { timezone: 'Asia/Shanghai' } },
      { columns: { at: 's.at' } },
    ],
    ['a decimal in a filter', 'SUM(amount)', { filters: [{ field: 'amount', op: '>', value: '10.005' }] }],
    ['CASE and COALESCE', 'SUM(CASE WHEN quantity > 8 THEN amount WHEN quantity IS NULL THEN 1.5 ELSE -amount END)', byRegion],
    ['COALESCE of decimals', 'SUM(COALESCE(amount, 0.125))', byRegion],
    ['halves below zero that are rounded', 'SUM(ROUND(quantity * 0.25 - 2, 1) WHERE quantity < 8)'],
    ['a rounded price with tax', 'SUM(ROUND(amount * 1.13, 2))', byRegion],
    ['hundreds of integers', 'SUM(quantity / 100)', byRegion],
    ['a quotient by a number in a condition', 'SUM(amount / 8 WHERE amount / 2.5 > 3)', byRegion],
    ['days of the week', 'COUNT(*)', { dimensions: ['星期'] }],
    ['hours of Shanghai', 'COUNT(*)', { dimensions: ['时'] }],
    ['quarters and years of dates', 'COUNT(* WHERE EXTRACT(quarter FROM day) = 1 AND EXTRACT(year FROM day) = 2024)'],
    ['means of rolling days', 'ROLLING(AVG(amount), 45 DAY)', { time: month }],
    ['a clause of a user', 'SUM(amount)', { filter_clause: `product = 'tea' AND day >= '2024-01-15' AND NOT (quantity = 3)` }],
    ['the clock of a user', 'COUNT(*)', { filter_clause: 'day < CURRENT_DATE - 30' }],
    ['months of Shanghai', 'SUM(amount)', { time: month }],
    ['weeks that begin on Sunday', 'COUNT(*)', { time: { grain: 'week', week_start: 'sunday' } }],
    ['weeks, quarters', 'COUNT(*)', { time: { grain: 'quarter' } }],
    ['years', 'COUNT(*)', { time: { grain: 'year' } }],
    ['a change of the clock in New York', 'COUNT(*)', { time: newYork }],
    ['dates as time', 'SUM(amount)', { time: month }, { time: { column: 's.day' } }],
    ['a percentile', 'PERCENTILE(amount, 0.9)', byRegion],
    ['medians of totals, by texts that a collation takes for equal', 'SHARE(MEDIAN(ratio))', { dimensions: ['产品', '级'], totals: true }],
    ['medians in windows', 'ROLLING(MEDIAN(amount WHERE quantity > 3), 45 DAY)', { ...byRegion, time: month }],
    ['one of the values in windows', 'CUMULATIVE(PERCENTILE(quantity, 0.4, DISC))', { time: month }],
    ['a year to date', 'YTD(SUM(amount))', { ...byRegion, time: month }],
    ['rolling days', 'ROLLING(SUM(quantity), 45 DAY)', { time: month }],
    ['shares', 'SHARE(SUM(amount))', { dimensions: ['地区', '产品'] }],
    ['totals and having', 'SUM(amount)', { ...byRegion, totals: true, having: [{ op: '>', value: 300 }] }],
    ['an order with ties', 'COUNT(*)', { dimensions: ['产品'], order: [{ by: 'value', dir: 'desc' }], limit: 3 }],
    ['a comparison', 'SUM(amount)', { ...byRegion, time: { from: '2024-03-01', to: '2024-04-01' }, compare: { offset: '1 month' } }],
    ['a filter of rows', 'SUM(amount)', byRegion, { row_filter: `s.product <> 'tea' AND b.level < 3` }],
  ];
  /** Formulas that a database refuses: MySQL has too few digits for products of doubles. */
  const refused: Partial<Record<Place, RegExp>> = { mysql: /^SUM\(ratio \* quantity/ };

  it.each(cases)('agree to the digit: %s', async (_, formula, request = {}, binding = {}) => {
    const expected = await world.rowsOf('mirror', formula, request, binding);
    expect(expected).toHaveProperty('rows');
    for (const place of dialects) {
      const actual = await world.rowsOf(place, formula, request, binding);
      if (refused[place]?.test(formula)) expect(actual).toMatchObject({ status: 422, code: 'not_in_dialect' });
      else expect({ place, ...(actual as object) }).toEqual({ place, ...(expected as object) });
    }
  });

  // The keys are texts that a collation considers equal, integers, decimals, dates, times, booleans, and a column of a joined table.
  const filters: [by: string, formula: string, request: object][] = [
    ['产品', 'SUM(amount)', { op: '>', value: 100 }],
    ['buyer', 'COUNT(*)', { op: '>=', value: 7 }],
    ['amount', 'MAX(quantity)', { op: '>', value: 8 }],
    ['日', 'MEDIAN(ratio)', { op: '<', value: 1 }],
    ['at', 'SUM(quantity)', { op: '!=', value: 3 }],
    ['大额', 'COUNT(*)', { op: '>', value: 0 }],
    ['地区', '[other] - COUNT(*)', { op: '<=', value: 1, range: 'request' }],
    ['ratio', 'COUNT_DISTINCT(product)', { op: '>', value: 1 }],
  ];
  it.each(filters)('agree on the rows for whose %s a metric fits', async (by, formula, { ...condition }) => {
    const answerAt = async (place: Place): Promise<object> => {
      const columns = { columns: { ...world.bindingAt(place).columns, at: 's.at' } };
      // The metric `other` counts returned rows in a binding of its own.
      const name = world.newName('other');
      const other = world.bindingAt(place, { ...columns, row_filter: 's.quantity > 4' });
      await world.post(name, 'COUNT(*)', other).expect(201);
      const filter = await world.define(place, formula.replace('[other]', `[${name}]`), columns);
      const id = await world.define(place, 'SUM(amount)', columns);
      const { body } = await world.execute(id, {
        dimensions: ['产品'],
        time: month,
        filters: [{ metric: filter, by, ...condition }],
        totals: true,
      });
      return { ...(body.rows ? { rows: body.rows.map(plainRow), totals: body.totals } : body) };
    };
    const expected = await answerAt('mirror');
    expect(expected).toHaveProperty('rows');
    for (const place of dialects) expect({ place, ...(await answerAt(place)) }).toEqual({ place, ...expected });
  });

  it.each([
    ['texts that a collation takes for equal, ends of months', 'product WITHIN 1 MONTH, COUNT', { dimensions: ['地区'], time: month }],
    ['a boolean and a text with NULL that are carried', 'buyer WITHIN 5 WEEK', { dimensions: ['大额', '产品'] }],
    ['a zone with a change of the clock', 'buyer WITHIN 20 DAY, COUNT', { time: { ...newYork, from: '2024-02-01' } }],
    [
      'a filter and a clause of base events only',
      'level',
      { time: month, filters: [{ field: 'amount', op: '>', value: '-5' }], filter_clause: `"产品" <> 'tea'`, totals: true },
    ],
  ])('agree on conversions: %s', async (_, rest, request) => {
    const { body: expected } = await world.execute(await world.defineConversion('mirror', rest), request).expect(200);
    expect(expected.rows.some((row: unknown[]) => row.at(-1) !== null && row.at(-1) !== '0')).toBe(true);
    for (const place of dialects) {
      const id = await world.defineConversion(place, rest);
      const { body } = await world.execute(id, request);
      expect({ place, rows: body.rows?.map(plainRow), totals: body.totals, body: body.detail }).toEqual({
        place,
        rows: expected.rows.map(plainRow),
        totals: expected.totals,
      });
      const { body: explained } = await world.execute(id, { ...request, explain: true }).expect(200);
      expect(explained.estimate.rows).toBeGreaterThan(0);
    }
    // Each place has three metrics of its own, and each binding is checked when its metric is saved.
  });

  it('hold numbers that were added up by hand', async () => {
    const cents = sold.reduce((sum, { amount }) => sum + Math.round((amount ?? 0) * 100), 0);
    const thousandths = sold.reduce((sum, { ratio }) => sum + Math.round(ratio * 1000), 0);
    for (const place of dialects) {
      expect(await world.rowsOf(place, 'SUM(amount)', {})).toMatchObject({ rows: [[plain((cents / 100).toFixed(2))]] });
      expect(await world.rowsOf(place, 'SUM(ratio)', {})).toMatchObject({ rows: [[plain((thousandths / 1000).toFixed(3))]] });
    }
  });
});
