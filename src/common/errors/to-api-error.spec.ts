import { LanguageError } from '../../text/language-error.js';
import { toApiError } from './to-api-error.js';

describe('toApiError', () => {
  it('answers a text that cannot be read with 400, in both languages, with its facts', () => {
    const error = toApiError(new LanguageError('broken', { zh: '不对', en: 'it is wrong' }, { line: 1, column: 2 }, { found: 'x' }));
    expect(error).toMatchObject({ status: 400, code: 'broken', detail: '不对 / it is wrong', context: { found: 'x' } });
  });
});
