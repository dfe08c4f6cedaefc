import { FilterChecks } from './filter-checks.js';

const check = (type: string, ...values: string[]) => new FilterChecks('UTC').of({ field: 'f', op: 'in', values }, type);

describe('dates before the year 1 (risk: a date of a result is refused as a filter)', () => {
  it('are accepted in the form that results have', () => {
    expect(check('date', '-0043-03-15', '0000-12-31', '-4712-01-01', '2024-05-01')).toMatchObject({
      type: 'date',
      bound: ['0044-03-15 BC', '0001-12-31 BC', '4713-01-01 BC', '2024-05-01'],
    });
    // The years 1 BC and 5 BC are leap years.
    expect(check('date', '0000-02-29', '-0004-02-29')).toHaveProperty('bound');
  });

  it.each(['-0043-02-30', '-0001-02-29', '-0000-01-01', '-4713-01-01', '-9999-01-01', '0044-03-15 BC'])(
    'are refused if there is no %s',
    value => {
      expect(check('date', value)).toMatchObject({ type: 'value_type' });
    },
  );

  it('are compared in the order of time', () => {
    const between = (...values: string[]) => new FilterChecks('UTC').of({ field: 'f', op: 'between', values }, 'date');
    expect(between('-0043-03-15', '2024-01-01')).toHaveProperty('bound', ['0044-03-15 BC', '2024-01-01']);
    expect(between('-0043-03-15', '-0044-03-15')).toMatchObject({
      type: 'empty_range',
      text: { en: expect.stringContaining('["-0044-03-15", "-0043-03-15"]') },
    });
  });
});

describe('a value that is not a time', () => {
  it.each([
    ['timestamptz', '2023-12-31T23:59:59.9999999Z', 'at most six decimals'],
    ['timestamp', '2023-12-31 24:00', '00:00 of the next day'],
    ['time', '24:00', '00:00 of the next day'],
    ['time', '23:59:60', 'at most 59'],
    ['timestamp', '0000-12-31', 'only columns of dates'],
    ['timestamptz', '-0043-03-15T10:00', 'only columns of dates'],
  ])('has its reason: %s %s', (type, value, reason) => {
    expect(check(type, value)).toMatchObject({ field: 'values', type: 'value_type', text: { en: expect.stringContaining(reason) } });
  });
});
