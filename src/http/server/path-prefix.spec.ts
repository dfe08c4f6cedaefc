import { withoutPrefixes } from './path-prefix.js';

const served = (basePath: string, url: string) => withoutPrefixes(url, basePath);

describe('withoutPrefixes', () => {
  it.each([
    ['/api/graphs/1?x=1', '/graphs/1?x=1'],
    ['/graphs/1', '/graphs/1'],
    ['http://host:80/api/health', '/health'],
    ['/apis', '/apis'],
    ['', '/'],
  ])('serves %s as %s', (url, expected) => expect(served('', url)).toBe(expected));

  it.each([
    ['/graph/api/graphs', '/graphs'],
    ['/graph/docs', '/docs'],
    ['/graph', '/'],
    ['/graph?x', '/?x'],
    ['/graphs', '/graphs'],
    ['/api/graph/x', '/graph/x'],
  ])('serves %s as %s under /graph', (url, expected) => expect(served('/graph', url)).toBe(expected));
});
