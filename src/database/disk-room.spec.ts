import { logMegabytesOf, reserveOf } from './disk-room.js';

const room = (diskMegabytes: number) => ({ freeBytes: 0, diskBytes: diskMegabytes * 1_048_576 });
const reserveMb = (diskMegabytes: number, setting?: number): number => reserveOf(room(diskMegabytes), setting) / 1_048_576;

it.each([
  [500, 64],
  [10_000, 500],
  [1_000_000, 1_024],
])('keeps a twentieth of a disk of %d MiB free, a gigabyte at most, and room for the log in any case', (disk, reserve) => {
  expect(reserveMb(disk)).toBe(reserve);
});

it('keeps what a setting says, also nothing', () => {
  expect([reserveMb(500, 0), reserveMb(500, 7)]).toEqual([0, 7]);
});

it.each([
  [500, 128],
  [10_000, 500],
  [1_000_000, 4_096],
])("lets the server's log take less on a disk of %d MiB", (disk, log) => {
  expect(logMegabytesOf(room(disk))).toBe(log);
});

it('takes a disk that cannot be asked for a large one', () => {
  expect(logMegabytesOf(null)).toBe(4_096);
});
