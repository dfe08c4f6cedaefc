import { AnswerElements } from './answer-elements.js';

describe('AnswerElements', () => {
  it('finds nodes and edges at any depth, and ignores maps that only look like them', () => {
    const elements = new AnswerElements();
    const node = (id: number) => ({ kind: 'node' as const, id, labels: [], properties: new Map() });
    const edge = { kind: 'edge' as const, id: 3, type: '属于', source: 7, target: 8, properties: new Map() };
    elements.addValue([
      new Map([['inner', [node(7)]]]),
      { kind: 'path', nodes: [node(7), node(8)], edges: [edge] },
      new Map<string, string | bigint>([['kind', 'node'], ['id', 9n]]),
    ]); // prettier-ignore
    expect([...elements.nodeIds]).toEqual([7, 8]);
    expect([...elements.edges.values()]).toEqual([{ id: 3, sourceId: 7, targetId: 8, type: '属于' }]);
  });
});
