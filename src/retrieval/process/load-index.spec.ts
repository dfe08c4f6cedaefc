import { valuesIn } from './load-index.js';

describe('valuesIn', () => {
  it.each([
    ['a text', 'live', 'string', ['live']],
    ['a text that looks like a list', '["live"]', 'string', ['["live"]']],
    ['each text of a list', '["live", "demo"]', 'string[]', ['live', 'demo']],
    ['no null of a list', '["live", null]', 'string[]', ['live']],
    ['nothing of a list that was cut', '["live", "de', 'string[]', []],
    ['nothing where there is nothing', null, 'string[]', []],
  ])('finds %s', (_, text, type, values) => {
    expect(valuesIn(text, type)).toEqual(values);
  });
});
