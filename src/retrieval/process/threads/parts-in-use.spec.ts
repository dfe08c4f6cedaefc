import { sharedUint8 } from '../../../graph-index/shared-arrays.js';
import { collectGarbage } from './part-copies.js';
import { PartsInUse } from './parts-in-use.js';

const thread = {};
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

it('counts a part until no thread has a copy of it', async () => {
  const inUse = new PartsInUse();
  let kept: object | null = { a: sharedUint8(1_000), b: sharedUint8(500), version: 7 };
  const load = (id: string, record: object) => inUse.loaded({ id, record }, thread);
  load('kept', kept);
  load('dropped', { a: sharedUint8(4_000) });
  load('ended', { a: sharedUint8(30_000) });
  inUse.given({ id: 'kept', record: kept }, thread);
  expect(inUse.bytes).toBe(35_500);
  inUse.freed('dropped', thread);
  for (let turn = 0; inUse.bytes > 31_500; turn++) {
    collectGarbage();
    await nextTurn();
  }
  inUse.ended(thread);
  for (let turn = 0; inUse.bytes > 1_500; turn++) {
    collectGarbage();
    await nextTurn();
  }
  expect(Object.keys(kept)).toEqual(['a', 'b', 'version']);
  kept = null;
  for (let turn = 0; inUse.bytes > 0; turn++) {
    collectGarbage();
    await nextTurn();
  }
});

it('counts a copy for each time that it was given', () => {
  const inUse = new PartsInUse();
  const part = { id: '1', record: { a: sharedUint8(10) } };
  inUse.loaded(part, thread);
  const other = {};
  inUse.given(part, other);
  inUse.given(part, other);
  for (const left of [10, 10, 10]) {
    inUse.freed('1', other);
    expect(inUse.bytes).toBe(left);
  }
  inUse.freed('1', thread);
  expect(inUse.bytes).toBe(10);
  inUse.freed('1', inUse);
  expect(inUse.bytes).toBe(0);
});
