import { addressOf, describeWarnings, welcome } from './welcome.js';

describe('addressOf', () => {
  it.each([
    ['127.0.0.1', '', 'http://127.0.0.1:8080'],
    ['0.0.0.0', '', 'http://localhost:8080'],
    ['::', '', 'http://localhost:8080'],
    ['::1', '', 'http://[::1]:8080'],
    ['graph.internal', '/graph', 'http://graph.internal:8080/graph'],
  ])('writes host %j and path %j as %s', (host, basePath, url) => {
    expect(addressOf({ host, basePath }, 8080)).toBe(url);
    expect(URL.canParse(url)).toBe(true);
  });
});

it('shows the first login only if it is the documented one', () => {
  expect(welcome('http://x:1', { username: 'admin', password: 'admin@Graph123' })).toContain('admin / admin@Graph123');
  expect(welcome('http://x:1', { username: 'admin', password: null })).toContain('admin / ADMIN_INITIAL_PASSWORD');
  expect(welcome('http://x:1', null)).not.toContain('First login');
});

it('shows warnings in one block, each with the line that ends it', () => {
  const block = describeWarnings([{ zh: '甲', en: 'a', remedy: 'A=1' }, { zh: '乙', en: 'b', remedy: 'B=2' }]); // prettier-ignore
  expect(block.split('\n').filter(line => /[AB]=\d/.test(line))).toHaveLength(2);
});
