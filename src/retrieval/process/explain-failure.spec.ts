import { explainFailure } from './explain-failure.js';

const fromServer = (code: string, message: string, file: string) => Object.assign(new Error(message), { code, file });

describe('explainFailure', () => {
  it.each([
    ['could not write to file "base/pgsql_tmp/1": No space left on device', 'fd.c', 'disk_full'],
    ['could not resize shared memory segment "/PostgreSQL.1" to 1 bytes: No space left on device', 'dsm_impl.c', 'shared_memory_full'],
  ])('does not blame the query for "%s"', (message, file, code) => {
    expect(explainFailure(fromServer('53100', message, file))).toMatchObject({ status: 503, code });
  });

  it('blames the query for a limit of one session, and passes other failures on', () => {
    expect(explainFailure(fromServer('53400', 'temporary file size exceeds temp_file_limit', 'fd.c'))).toMatchObject({ status: 422 });
    const others = [new Error('x'), fromServer('42601', 'x', 'scan.l')];
    expect(others.map(explainFailure)).toEqual(others);
  });
});
