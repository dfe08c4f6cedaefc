import { type ExecutionContext } from '@nestjs/common';
import { type ServiceStop } from '../common/stopping/service-stop.js';
import { Watchers } from '../common/stopping/watchers.js';
import { type AccessRecheck } from './access-recheck.service.js';
import { EventStreams } from './event-streams.service.js';

const stop = { hasBegun: false } as ServiceStop;
const access = { later: () => () => Promise.resolve(null) } as unknown as AccessRecheck;

it('reads a record only when its state has changed', async () => {
  const statuses = ['running', 'running', 'running', 'succeeded'];
  let [looks, reads] = [0, 0];
  const stream = new EventStreams(stop, new Watchers(stop), access).watch(
    1,
    {} as ExecutionContext,
    {
      read: () => Promise.resolve({ status: statuses[looks]!, request: `${++reads}` }),
      hasEnded: ({ status }) => status === 'succeeded',
      stateOf: ({ status }) => status,
      readState: () => Promise.resolve(statuses[++looks]),
    },
    { lastId: undefined, gone: new AbortController().signal },
  );
  const events: object[] = [];
  for await (const event of stream) events.push(event);
  expect(events).toMatchObject([
    { type: 'progress', data: { status: 'running', request: '1' } },
    { type: 'end', data: { status: 'succeeded', request: '2' } },
  ]);
  expect(looks).toBe(3);
});
