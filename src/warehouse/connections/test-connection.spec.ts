import { testConnection } from './test-connection.js';

const found = { serverVersion: '16.4', user: 'reader', isReadOnly: true, canWrite: false, warnings: [] };

describe('The test of a connection', () => {
  it('tells what the server says of itself', async () => {
    expect(await testConnection(() => Promise.resolve(found))).toMatchObject({ ok: true, server_version: '16.4', current_user: 'reader' });
  });

  it.each(['address', 'tls', 'rights'] as const)('names the stage where it stopped when it ends in time: %s', async stage => {
    const silent = (reached: (stage: 'address' | 'tls' | 'rights') => void) => {
      reached(stage);
      return new Promise<never>(() => undefined);
    };
    expect(await testConnection(silent, 0)).toMatchObject({ ok: false, code: 'TIMEOUT', stage });
  });

  it.each([{ serverVersion: '9'.repeat(20_000) }, { user: 'u'.repeat(20_000) }, { warnings: [{ zh: '长'.repeat(20_000), en: 'long' }] }])(
    'takes endless words for those of no database',
    async words => {
      expect(await testConnection(() => Promise.resolve({ ...found, ...words }))).toMatchObject({ ok: false, code: 'PROTOCOL' });
    },
  );
});
