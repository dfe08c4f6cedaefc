import { type Request } from 'express';
import { extractBearer } from './extract-bearer.js';

const extract = (authorization: string) => extractBearer({ headers: { authorization } } as Request);

describe('extractBearer', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the token behind the scheme %s and exactly one space', scheme => {
    expect(extract(`${scheme} abcd.efgh.ijkl`)).toBe('abcd.efgh.ijkl');
  });

  // The regular expression of passport-jwt, /(\S+)\s+(\S+)/, needs some 50 ms for each of these headers.
  it.each([
    ['that is one word', 'x'.repeat(8000)],
    ['that has no dot', `Bearer ${'x'.repeat(8000)}`],
    ['that has no dot and is just short enough to be read', `Bearer ${'x'.repeat(4000)}`],
    ['that has one dot too many', `Bearer ${'x'.repeat(1000)}.`.padEnd(4000, 'x.')],
  ])('refuses a long header %s, 200 times in less time than that expression takes once for each', (_, header) => {
    const startedAt = performance.now();
    for (let count = 0; count < 200; count++) expect(extract(header)).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
