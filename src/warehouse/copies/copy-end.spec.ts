import { toCopyEnd } from './copy-end.js';

describe('the end of a copy', () => {
  it.each([
    ['the disk', { message: 'could not extend file "base/5/1": No space left on device', file: 'md.c' }, 'disk_full'],
    [
      'the shared memory',
      { message: 'could not resize shared memory segment: No space left on device', file: 'dsm_impl.c' },
      'shared_memory_full',
    ],
  ])('tells that %s of the database is full', (_what, { message, file }, code) => {
    const failure = toCopyEnd(Object.assign(new Error(message), { code: '53100', file }));
    expect([failure.code, failure.context]).toEqual([code, { sqlstate: '53100' }]);
    expect(/\/dev\/shm/.test(failure.text.zh) && /\/dev\/shm/.test(failure.text.en)).toBe(code === 'shared_memory_full');
  });
});
