import { DatabaseBusyError, DatabaseUnavailableError } from '../../common/errors/common-errors.js';
import { isDatabaseAway } from '../../common/errors/run-failure.js';
import { toFailure } from './run-failure.js';

const fromServer = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('a failure of a run', () => {
  it.each([
    ['the database is away', new DatabaseUnavailableError(undefined), true],
    ['its connections are all in use', new DatabaseBusyError(), true],
    ['it shuts down', fromServer('57P01'), true],
    ['the server is out of shared memory', fromServer('53200', 'out of shared memory'), true],
    ['one backend is out of memory', fromServer('53200', 'out of memory'), false],
    ['the disk is full', fromServer('53100'), false],
    ['the temporary disk space of one backend is used up', fromServer('53400'), false],
    ['a statement is wrong', fromServer('42601'), false],
  ])('is tried again when %s: %#', (_what, error, again) => {
    expect(isDatabaseAway(error)).toBe(again);
  });

  it('has a SQLSTATE in its record only if there is one', () => {
    expect([toFailure(new Error('x')).context, toFailure(fromServer('42601')).context]).toEqual([{}, { sqlstate: '42601' }]);
    expect(toFailure(fromServer('53400')).code).toBe('run_too_large');
  });

  it.each([
    ['dsm_impl.c', 'shared_memory_full'],
    ['md.c', 'disk_full'],
  ])('tells what is full by the source file of the error: %s', (file, code) => {
    const full = Object.assign(fromServer('53100', 'could not resize shared memory segment: No space left on device'), { file });
    expect(toFailure(full)).toMatchObject({ code, context: { sqlstate: '53100' } });
  });
});
