import { anEdge as edge } from '../../../test/support/graph-schema.js';
import { schema } from '../../../test/support/question-world.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { describePath, type Hop, hopsFrom, isComplete, leadsToOne, pathsFrom, reversed } from './schema-paths.js';

const graph = (edges: GraphSchema['edges']): GraphSchema => ({ labels: [], edges });

describe('pathsFrom', () => {
  const listed = (...args: Parameters<typeof pathsFrom>): string[] => [...pathsFrom(...args)].map(describePath);

  it('lists the short paths first, both ways along an edge', () => {
    expect(listed(graph([edge('下单', '客户', '订单')]), '客户')).toEqual([
      '',
      '客户-[下单]->订单',
      '客户-[下单]->订单<-[下单]-客户',
      '客户-[下单]->订单<-[下单]-客户-[下单]->订单',
    ]);
  });

  it('goes one hop further by a relation of a label with itself', () => {
    const paths = [...pathsFrom(graph([edge('推荐', '用户', '用户')]), '用户')];
    expect(Math.max(...paths.map(hops => hops.length))).toBe(4);
    expect(paths.filter(hops => hops.length === 1).map(([hop]) => hop?.direction)).toEqual(['out', 'in']);
  });

  it('lists no more than four thousand paths of a wide schema', () => {
    const wide = graph(Array.from({ length: 300 }, (_, i) => [edge(`a${i}`, 'A', `M${i}`), edge(`b${i}`, `M${i}`, 'A')]).flat());
    const paths = listed(graph([...wide.edges, edge('直', 'A', 'Z')]), 'A');
    expect([paths.length, paths.includes('A-[直]->Z')]).toEqual([4000, true]);
  });
});

describe('reversed', () => {
  it('is the same path from its other end', () => {
    expect(describePath(reversed([placed]))).toBe('订单<-[下单]-客户');
    expect(reversed(reversed([placed, placedBy]))).toEqual([placed, placedBy]);
  });
});

describe('hopsFrom', () => {
  it('lists edges both ways, also those of a label to itself', () => {
    const edges = [
      edge('推荐', '用户', '用户'),
      edge('居住', '用户', '城市'),
      edge('包含', '城市', '用户'),
      edge('供应', '供应商', '产品'),
    ];
    expect(hopsFrom(graph(edges), '用户')).toEqual([
      { type: '推荐', direction: 'out', from: '用户', to: '用户' },
      { type: '推荐', direction: 'in', from: '用户', to: '用户' },
      { type: '居住', direction: 'out', from: '用户', to: '城市' },
      { type: '包含', direction: 'in', from: '用户', to: '城市' },
    ]);
  });
});

const placed: Hop = { type: '下单', direction: 'out', from: '客户', to: '订单' };
const placedBy: Hop = { type: '下单', direction: 'in', from: '订单', to: '客户' };
const located: Hop = { type: '位于', direction: 'out', from: '客户', to: '地区' };

describe('leadsToOne', () => {
  it.each([
    ['one customer of an order', [placedBy], true],
    ['and on to its region', [placedBy, located], true],
    ['many orders of a customer', [placed], false],
    ['no hop at all', [], true],
  ])('%s: %s', (_, hops, is) => {
    expect(leadsToOne(hops, schema.toOne)).toBe(is);
  });
});

describe('isComplete', () => {
  const withLocated = (rowCount: number) => ({
    ...schema,
    edges: schema.edges.map(each => (each.type === '位于' ? { ...each, rowCount } : each)),
  });

  it('holds for a path with as many edges as nodes', () => {
    expect([isComplete([located], withLocated(10)), isComplete([located], withLocated(9))]).toEqual([true, false]);
  });

  it('does not hold for a relation that the schema does not have', () => {
    expect(isComplete([{ ...located, type: '属于' }], schema)).toBe(false);
  });
});
