import { type Principal } from '../access/principal.js';
import { LexiconService } from './lexicon.service.js';
import { LexiconBusyError } from './queries.errors.js';

describe('LexiconService', () => {
  it('checks the synonyms of one request of a user at a time, while eight more wait', async () => {
    const service = new LexiconService(
      { synonyms: () => Promise.resolve([]) } as never,
      { schema: () => Promise.resolve({ nodes: [], edges: [] }) } as never,
      { catalog: () => Promise.resolve([]) } as never,
      { recordWith: () => Promise.resolve(1) } as never,
    );
    const add = (userId: number) =>
      service.add({ userId } as Principal, 1, { entries: [{ kind: 'name', name: '大众汽车', synonyms: ['大众'] }] });
    const results = await Promise.allSettled([...Array.from({ length: 12 }, () => add(1)), add(2)]);
    const refused = results.flatMap((result, at) => (result.status === 'rejected' ? [[at, result.reason as unknown]] : []));
    expect(refused).toEqual([9, 10, 11].map(at => [at, expect.any(LexiconBusyError)]));
  });
});
