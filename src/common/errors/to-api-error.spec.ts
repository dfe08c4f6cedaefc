import { LanguageError } from '../../text/language-error.js';
import { toApiError } from './to-api-error.js';

describe('toApiError', () => {
  it('answers a text that cannot be read with 400, in both languages, with its facts', () => {
    const error = toApiError(new LanguageError('broken', { zh: '不对', en: 'it is wrong' }, { line: 1, column: 2 }, { found: 'x' }));
    expect(error).toMatchObject({ status: 400, code: 'broken', detail: '不对 / it is wrong', context: { found: 'x' } });
  });

  // PostgreSQL reports a full disk and full shared memory alike: SQLSTATE 53100 and "No space left on device".
  it.each([
    ['the disk', { file: 'fd.c' }, 'disk_full', /make room/],
    ['shared memory', { file: 'dsm_impl.c' }, 'shared_memory_full', /--shm-size/],
  ])('names %s as what is full', (_, place, code, detail) => {
    const failure = Object.assign(new Error('No space left on device'), { code: '53100', ...place });
    expect(toApiError(failure)).toMatchObject({
      status: 503,
      code,
      detail: expect.stringMatching(detail),
      headers: { 'Retry-After': '30' },
    });
  });
});
