import { type Settings } from '../config/settings.js';
import { mostOfOneCaller } from '../retrieval/protocol.js';
import { RetrievalBusyError } from '../retrieval/retrieval.errors.js';
import { QueryTurns } from './query-turns.js';

const settled = () => new Promise<void>(resolve => setImmediate(resolve));

describe('QueryTurns', () => {
  const turns = (retrievalUrls: string[] = []) => new QueryTurns({ retrievalUrls } as unknown as Settings);

  it('refuses a query that retrieval would refuse before anything of it is done, and nobody else’s', async () => {
    const of = turns();
    let begun = 0;
    let end!: () => void;
    const over = new Promise<void>(resolve => (end = resolve));
    const work = () => {
      begun++;
      return over;
    };
    const held = Array.from({ length: mostOfOneCaller }, () => of.retrieve(1, work));
    await settled();
    await expect(of.retrieve(1, work)).rejects.toThrow(RetrievalBusyError);
    const other = of.retrieve(2, work);
    await settled();
    expect(begun).toBe(mostOfOneCaller + 1);
    end();
    await Promise.all([...held, other]);
    await expect(of.retrieve(1, () => Promise.resolve('again'))).resolves.toBe('again');
  });

  it('lets a caller have as many as all retrieval processes take', async () => {
    const of = turns(['http://a', 'http://b']);
    const held = Array.from({ length: 2 * mostOfOneCaller }, () => of.retrieve(1, settled));
    await expect(of.retrieve(1, settled)).rejects.toThrow(RetrievalBusyError);
    await Promise.all(held);
  });

  it('prepares few queries of one caller at once, and those of others in between', async () => {
    const of = turns();
    let atOnce = 0;
    let most = 0;
    const ended: number[] = [];
    const prepare = (caller: number) =>
      of.prepare(caller, async () => {
        most = Math.max(most, ++atOnce);
        await settled();
        atOnce--;
        ended.push(caller);
      });
    const flood = Array.from({ length: 100 }, () => prepare(1));
    await Promise.all([prepare(2), ...flood]);
    expect(most).toBeLessThanOrEqual(5);
    expect(ended.indexOf(2)).toBeLessThan(5);
  });
});
