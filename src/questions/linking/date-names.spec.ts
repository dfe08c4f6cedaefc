import { eventsOf, isYear } from './date-names.js';

describe('isYear', () => {
  it.each(['birth_year', 'releaseYear', 'year', '成立年份', '建造年', '财务年度'])('takes %s for a year', name => {
    expect(isYear({ name, type: 'int' })).toBe(true);
  });

  it.each(['views_per_year', 'hours_each_year', 'years', 'warranty_year', '质保年', '使用年份', 'yearly'])(
    'takes %s for a number',
    name => {
      expect(isYear({ name, type: 'int' })).toBe(false);
    },
  );

  it('takes no text for a year', () => {
    expect(isYear({ name: 'birth_year', type: 'string' })).toBe(false);
  });
});

describe('eventsOf', () => {
  it.each([
    ['hire_date', ['hire']],
    ['hired_on', ['hired']],
    ['createdAt', ['created']],
    ['date of birth', ['birth']],
    ['入职日期', ['入职']],
    ['成立年份', ['成立']],
    ['expiration', []],
    ['date', []],
    ['日期', []],
  ])('reads the events of %s: %j', (name, events) => {
    expect(eventsOf({ name })).toEqual(events);
  });
});
