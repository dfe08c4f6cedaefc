import { graphRoom } from './graph-room.js';

const mebibyte = 1_048_576;
const room = (graphMb: number, otherMb: number, ownerIsAdmin = false) =>
  graphRoom({ graphBytes: graphMb * mebibyte, otherBytes: otherMb * mebibyte, ownerIsAdmin }, { graphsMaxMbPerUser: 10 });
const refusal = expect.objectContaining({ code: 'quota_reached', message: expect.stringContaining('(GRAPHS_MAX_MB_PER_USER)') });

describe('the room of a graph', () => {
  it('is what the other graphs of its owner leave', () => {
    room(2, 6).require(4 * mebibyte);
    expect(() => room(2, 6).require(4 * mebibyte + 1)).toThrow(refusal);
    expect(() => room(0, 12).require(1)).toThrow('0.0 MiB left');
  });

  it('is at least what the graph takes, so that it can be kept in step', () => {
    room(8, 6).require(8 * mebibyte);
    room(20, 6).require(20 * mebibyte);
    expect(() => room(8, 6).require(8 * mebibyte + 1)).toThrow(refusal);
  });

  it('has no bound for the graphs of admins', () => {
    room(0, 50, true).require(50 * mebibyte);
    expect(room(0, 50, true).leftBytes).toBeNull();
  });
});
