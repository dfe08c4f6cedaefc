import { mirrorRoom } from './mirror-room.js';

const mebibyte = 1_048_576;
const settings = { mirrorMaxMb: 100, mirrorMaxMbPerUser: 10 };
const room = (own: number, all: number, isAdmin = false) =>
  mirrorRoom({ these: 0, own: own * mebibyte, all: all * mebibyte, isAdmin }, settings);
const refusal = (bound: string) =>
  expect.objectContaining({ status: 409, code: 'quota_reached', message: expect.stringContaining(`(${bound})`) });

describe('the room of a load in the mirror', () => {
  it('is what the bounds of the user and of all leave, whichever is less', () => {
    room(4, 50).require(6 * mebibyte);
    expect(() => room(4, 50).require(6 * mebibyte + 1)).toThrow(refusal('MIRROR_MAX_MB_PER_USER'));
    expect(() => room(4, 95).require(6 * mebibyte)).toThrow(refusal('MIRROR_MAX_MB'));
  });

  it('has no bound of the user for admins', () => {
    room(50, 50, true).require(50 * mebibyte);
    expect(() => room(50, 50, true).require(50 * mebibyte + 1)).toThrow(refusal('MIRROR_MAX_MB'));
  });

  it('takes text for at least half as much of a table', () => {
    room(4, 50).requireForText(12 * mebibyte);
    expect(() => room(4, 50).requireForText(13 * mebibyte)).toThrow(refusal('MIRROR_MAX_MB_PER_USER'));
  });

  it('says how much there is and never less than nothing, since a setting may have been lowered', () => {
    expect(() => room(40, 50).require(1)).toThrow('0.0 MiB left of 10.0 MiB');
  });
});
