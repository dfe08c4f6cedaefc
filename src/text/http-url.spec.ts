import { readHttpUrl } from './http-url.js';

describe('an http URL', () => {
  it.each([
    ['https://hooks.example/graph', 'hooks.example'],
    ['HTTP://Hooks.Example:8080', 'hooks.example:8080'],
    ['http://[::1]:9/?a=b#c', '[::1]:9'],
    ['https://钩子.example/图', 'xn--i8s974k.example'],
  ])('is read from %s', (text, host) => {
    expect(readHttpUrl(text)?.host).toBe(host);
  });

  it.each([
    'http:///hooks.example',
    'http:hooks.example',
    'http:/hooks.example',
    'http:\\\\hooks.example',
    'https://hooks.example\\@other.example',
    'https://hooks.example/a\nb',
    'https://hooks\r\n.example/',
    'https://hooks.example/\t',
    ' https://hooks.example',
    'https://hooks.example/a b',
    'https://hooks.exa\u00admple',
    'https://hooks.example/\u202egraph',
    'https://hooks.example/\u200b',
    'https://',
    'https://?a',
    'https://a:99999',
    'ftp://hooks.example',
    'hooks.example',
  ])('is not read from %j, which shows another place than it names, or none', text => {
    expect(readHttpUrl(text)).toBeNull();
  });
});
