import {
  check,
  day,
  fileWith,
  iso,
  key,
  minute,
  now,
  type Outcome,
  type PayloadOptions,
  plain,
  second,
  useDataDirectory,
} from '../../../test/support/licence-checks.js';

useDataDirectory();

describe('the terms in a licence file', () => {
  const cases: [string, PayloadOptions, Outcome][] = [
    ['no end at all', { meta: { expiry: null, ttl: null } }, 'valid'],
    ['an end in a second', { meta: { expiry: iso(second) } }, 'valid'],
    ['an end now', { meta: { expiry: iso(0) } }, 'valid'],
    ['an end a millisecond ago', { meta: { expiry: iso(-1) } }, 'grace'],
    ['an end 30 days ago less a second', { meta: { issued: iso(-60 * day), expiry: iso(-30 * day + second) } }, 'grace'],
    ['an end 30 days ago', { meta: { issued: iso(-60 * day), expiry: iso(-30 * day) } }, 'expired'],
    ['an end a year ago', { meta: { issued: iso(-400 * day), expiry: iso(-365 * day) } }, 'expired'],
    ['a licence that ends before its file', { attributes: { expiry: iso(-40 * day) } }, 'expired'],
    ['a licence in its grace, in a file in force', { attributes: { expiry: iso(-day) } }, 'grace'],
    ['a licence in force, in a file in its grace', { attributes: { expiry: iso(day) }, meta: { expiry: iso(-day) } }, 'grace'],
    ['issued 5 minutes ahead of this clock', { meta: { issued: iso(5 * minute) } }, 'valid'],
    ['issued 5 minutes and a second ahead', { meta: { issued: iso(5 * minute + second) } }, 'clock_set_back'],
    ['issued next year', { meta: { issued: iso(365 * day), expiry: iso(400 * day) } }, 'clock_set_back'],
    ['an end without a zone', { meta: { expiry: '2027-01-01T00:00:00' } }, 'payload_malformed'],
    ['an end with an offset', { meta: { expiry: '2027-01-01T00:00:00+08:00' } }, 'payload_malformed'],
    ['an end that is only a day', { meta: { expiry: '2027-01-01' } }, 'payload_malformed'],
    ['an end on the 30th of February', { meta: { expiry: '2027-02-30T00:00:00Z' } }, 'payload_malformed'],
    ['an end in words', { meta: { expiry: 'never' } }, 'payload_malformed'],
    ['an end as a number', { meta: { expiry: 1_893_456_000 } }, 'payload_malformed'],
    ['an end left out', { meta: { expiry: undefined } }, 'payload_malformed'],
    ['an end before the issue', { meta: { expiry: iso(-11 * day) } }, 'payload_malformed'],
    ['no time of issue', { meta: { issued: undefined } }, 'payload_malformed'],
    ['a time of issue without a zone', { meta: { issued: '2026-11-01T00:00:00' } }, 'payload_malformed'],
    ['only a time to live, still running', { meta: { expiry: null, ttl: 864_001 } }, 'valid'],
    ['only a time to live, run out', { meta: { expiry: null, ttl: 3600 } }, 'grace'],
    ['a time to live beyond all dates', { meta: { expiry: null, ttl: Number.MAX_SAFE_INTEGER } }, 'payload_malformed'],
    ['a time to live left out', { meta: { ttl: undefined } }, 'payload_malformed'],
    ['a time to live as text', { meta: { ttl: '3600' } }, 'payload_malformed'],
    ['a time to live below zero', { meta: { ttl: -1 } }, 'payload_malformed'],
    ['a suspended licence', { attributes: { suspended: true } }, 'suspended'],
    ['a licence with the status SUSPENDED', { attributes: { status: 'SUSPENDED' } }, 'suspended'],
    ['a banned licence', { attributes: { status: 'BANNED' } }, 'suspended'],
    ['a licence whose end is unreadable', { attributes: { expiry: 'soon' } }, 'payload_malformed'],
    ['no meta', { more: { meta: null } }, 'payload_malformed'],
    ['no data', { more: { data: null } }, 'payload_malformed'],
    ['a list of data', { more: { data: [] } }, 'payload_malformed'],
    ['a licence without attributes', { more: { data: { type: 'licenses' } } }, 'payload_malformed'],
  ];
  it.each(cases)('%s', async (_title, options, expected) => {
    expect((await check({ licenseFile: await fileWith(plain(options)) })).outcome).toBe(expected);
  });

  it('show the names, the dates and, during the grace period, a warning in both languages', async () => {
    const { proof } = await check({ licenseFile: await fileWith(plain({ meta: { expiry: iso(-day) } })) });
    expect(proof).toMatchObject({
      mode: 'offline',
      name: '企业版',
      licensee: '王芳',
      issued: new Date(iso(-10 * day)),
      expiry: new Date(iso(-day)),
      holdsUntil: new Date(iso(29 * day)),
    });
    expect(proof!.warnings).toEqual([expect.stringMatching(/过期.* \/ The licence expired at 2026-11-19T12:00:00.000Z/)]);
  });

  it('do not show a name that quotes the key', async () => {
    const { proof } = await check({ licenseFile: await fileWith(plain({ attributes: { name: `Licence ${key}` } })) });
    expect(proof!.name).toBeNull();
  });
});

describe('a clock that is set back, under a file that was issued 10 days ago and ends in 20', () => {
  const cases: [string, number, number | null, Outcome][] = [
    ['right, and nothing seen before', 0, null, 'valid'],
    ['right, a minute after the latest time seen', 0, -minute, 'valid'],
    ['five minutes behind', 0, 5 * minute, 'valid'],
    ['a day behind', 0, day, 'valid'],
    ['a day and a second behind', 0, day + second, 'clock_behind'],
    ['set back to just after the issue, a year after the end', -10 * day + second, 365 * day, 'clock_behind'],
    ['set back into the term, 31 days after its end', 19 * day, 51 * day, 'clock_behind'],
    ['set back into the grace, two days after that ended', 49 * day, 52 * day, 'clock_behind'],
    ['a little behind, where the end was seen', 19.5 * day, 20 * day + second, 'grace'],
    ['a little behind, where the end of the grace was seen', 49.5 * day, 50 * day, 'expired'],
    ['set back to before the issue', -11 * day, 0, 'clock_set_back'],
  ];
  it.each(cases)('%s', async (_title, clockMs, seenMs, expected) => {
    const after = (ms: number) => new Date(now.getTime() + ms);
    const seen = seenMs === null ? null : after(seenMs);
    expect((await check({ licenseFile: await fileWith(plain()) }, after(clockMs), seen)).outcome).toBe(expected);
  });
});
