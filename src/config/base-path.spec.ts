import { readBasePath } from './base-path.js';

describe('readBasePath', () => {
  it.each(['/graph', '/a/b-c', '/v1.2/~x'])('takes %s', path => expect(readBasePath(path)).toBe(path));

  it('takes / as no path at all', () => expect(readBasePath('/')).toBe(''));

  it.each(['graph', '/graph/', '//graph', '/a b', '/a?b', '/图', 'http://x/graph', '/..', '/a/./b', '/graphs', '/metrics/x'])(
    'refuses %s and shows the form',
    path => {
      expect(() => readBasePath(path)).toThrow('/graph');
    },
  );
});
