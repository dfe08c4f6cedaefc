import { AnswerElements } from './answer-elements.js';

describe('AnswerElements', () => {
  it('finds nodes and edges at any depth, and ignores maps that only look like them', () => {
    const elements = new AnswerElements();
    elements.addValue([
      { inner: [{ _kind: 'node', id: 7 }] },
      { _kind: 'edge', id: 3, source_id: 7, target_id: 8, type: '属于' },
      { _kind: 'node', id: 'x', inner: { _kind: 'node', id: 9 } },
      { _kind: 'edge', id: 1.5, source_id: 7, target_id: 8, type: '属于' },
      { _kind: 'edge', id: 4 },
    ]);
    expect([...elements.nodeIds]).toEqual([7, 9]);
    expect([...elements.edges.keys()]).toEqual([3]);
  });
});
