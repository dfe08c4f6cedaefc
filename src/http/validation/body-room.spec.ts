import { BodiesUnderWayError, BodyRoom } from './body-room.js';

const mebibyte = 1_048_576;

it('gives each caller 16 MiB, and a first body always', () => {
  const room = new BodyRoom();
  const give = [room.take('a', 10 * mebibyte), room.take('a', 6 * mebibyte)];
  expect(() => room.take('a', 1)).toThrow(BodiesUnderWayError);
  room.take('b', 20 * mebibyte);
  give[1]!();
  room.take('a', 6 * mebibyte);
  expect(() => room.take('a', 1)).toThrow(BodiesUnderWayError);
});

it('gives all together 256 MiB', () => {
  const room = new BodyRoom();
  const give = Array.from({ length: 16 }, (_, caller) => room.take(`${caller}`, 16 * mebibyte));
  expect(() => room.take('another', 1)).toThrow(BodiesUnderWayError);
  for (const each of give) each();
  for (let caller = 0; caller < 16; caller++) room.take(`${caller}`, 16 * mebibyte);
  expect(() => room.take('another', 1)).toThrow(BodiesUnderWayError);
});
