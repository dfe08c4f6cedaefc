import { BodiesUnderWayError, BodyRoom } from './body-room.js';

const mebibyte = 1_048_576;

it('gives each caller 16 MiB, and a first body always', () => {
  const room = new BodyRoom(mebibyte);
  const [first, second] = [room.take('a', 10 * mebibyte), room.take('a', 6 * mebibyte)];
  expect(() => room.take('a', 1)).toThrow(BodiesUnderWayError);
  room.take('b', 20 * mebibyte).giveBack();
  second.shrinkTo(mebibyte);
  const third = room.take('a', 5 * mebibyte);
  expect(() => room.take('a', 1)).toThrow(BodiesUnderWayError);
  for (const held of [first, second, third]) held.giveBack();
  expect(room.isEmpty).toBe(true);
});

it('gives all together 256 MiB, beside the first body of each', () => {
  const room = new BodyRoom(mebibyte);
  const held = Array.from({ length: 16 }, (_, caller) => room.take(`${caller}`, 15 * mebibyte));
  const first = room.take('another', 16 * mebibyte);
  expect(() => room.take('0', mebibyte)).toThrow(BodiesUnderWayError);
  room.take('one more', mebibyte);
  first.giveBack();
  room.take('0', mebibyte);
  for (const each of held) each.giveBack();
});

it('holds four of the largest bodies for each caller, however large these may be', () => {
  const room = new BodyRoom(64 * mebibyte);
  for (let body = 0; body < 4; body++) room.take('a', 64 * mebibyte);
  expect(() => room.take('a', 1)).toThrow(BodiesUnderWayError);
});
