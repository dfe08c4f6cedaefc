import { rankProcesses } from './rank-processes.js';

const processes = ['retrieval-1:8090', 'retrieval-2:8090', 'retrieval-3:8090', 'retrieval-4:8090'].map(name => ({ name }));
const graphs = Array.from({ length: 1_000 }, (_, i) => i + 1);
const placed = (among: readonly { name: string }[]) => new Map(graphs.map(id => [id, rankProcesses(id, among)[0]!.name]));

function counts(placement: Iterable<string>): number[] {
  const found = new Map<string, number>();
  for (const name of placement) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found.values()];
}

describe('the placement of 1,000 graphs over 4 processes', () => {
  it('gives each process its quarter, within a quarter of that', () => {
    const each = counts(placed(processes).values());
    expect(each).toHaveLength(4);
    for (const count of each) expect(Math.abs(count - 250)).toBeLessThanOrEqual(62);
  });

  it.each(processes)('moves only the graphs of $name while it is dead, evenly, and gives them back', ({ name }) => {
    const before = placed(processes);
    const during = placed(processes.filter(process => process.name !== name));
    const moved = graphs.filter(id => before.get(id) !== during.get(id));
    expect(moved).toEqual(graphs.filter(id => before.get(id) === name));
    const heirs = counts(moved.map(id => during.get(id)!));
    expect(heirs).toHaveLength(3);
    for (const count of heirs) expect(Math.abs(count - moved.length / 3)).toBeLessThanOrEqual(moved.length / 6);
    expect(placed(processes)).toEqual(before);
  });

  it('sends each graph of a dead process to the second of its order', () => {
    for (const id of graphs) {
      const [first, ...others] = rankProcesses(id, processes);
      expect(
        rankProcesses(
          id,
          processes.filter(process => process !== first),
        ),
      ).toEqual(others);
    }
  });

  it('does not depend on the order of the list', () => {
    expect(placed([...processes].reverse())).toEqual(placed(processes));
  });

  it('moves to a new process only what it gets', () => {
    const [before, after] = [placed(processes), placed([...processes, { name: 'retrieval-5:8090' }])];
    const moved = graphs.filter(id => before.get(id) !== after.get(id));
    expect(new Set(moved.map(id => after.get(id)))).toEqual(new Set(['retrieval-5:8090']));
    expect(Math.abs(moved.length - 200)).toBeLessThanOrEqual(50);
  });
});
