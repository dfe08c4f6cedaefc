import { type ExecutionContext } from '@nestjs/common';
import { type AccessRecheck } from '../graphs/access-recheck.service.js';
import { GraphAccessError } from '../graphs/graphs.errors.js';
import { type RejectedRow, type RejectedRowsRepository } from './rejected-rows.repository.js';
import { RunsService } from './runs.service.js';

describe('the export of rejected rows', () => {
  it('ends with the page before which its reader lost access', async () => {
    const rowOf = (id: number): RejectedRow => ({
      id: String(id),
      target: 't',
      row_no: String(id),
      source_key: null,
      reasons: [],
      sample: {},
    });
    const pages = [1, 2, 3].map(id => ({ rows: [rowOf(id)], hasMore: id < 3 }));
    const refusals = [null, new GraphAccessError('viewer')];
    const rejected = { list: () => Promise.resolve(pages.shift()!) } as unknown as RejectedRowsRepository;
    const access = { later: () => () => Promise.resolve(refusals.shift() ?? null) } as unknown as AccessRecheck;
    const none = undefined as never;
    const runs = new RunsService(none, none, rejected, none, none, none, access, none, none);
    let sent = '';
    const answer = runs.exportRejected(1, undefined, 'ndjson', {} as ExecutionContext);
    const write = (pieces: Buffer[]): Promise<void> => Promise.resolve(void (sent += Buffer.concat(pieces).toString()));
    await expect(answer.make(write, new AbortController().signal)).rejects.toBeInstanceOf(GraphAccessError);
    expect(sent.trim().split('\n').filter(Boolean)).toHaveLength(1);
    expect(pages).toHaveLength(1);
  });
});
