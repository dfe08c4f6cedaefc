import { checkDetail, ValueTooDetailedError } from './check-detail.js';

describe('checkDetail', () => {
  it('refuses lists and maps of hundreds of thousands of parts', () => {
    expect(() => checkDetail(`[${'[],'.repeat(200_000)}[]]`)).toThrow(ValueTooDetailedError);
    expect(() => checkDetail(`{${'"a":1,'.repeat(250_000)}"b":2}`)).toThrow(ValueTooDetailedError);
  });

  it('passes long texts, alone or in a map, and large lists', () => {
    checkDetail(JSON.stringify(','.repeat(1_000_000)));
    checkDetail(JSON.stringify({ text: '长文'.repeat(2_000_000) }));
    checkDetail(JSON.stringify({ text: 'a,"\\['.repeat(250_000), next: 1 }));
    checkDetail(JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i)));
  });
});
