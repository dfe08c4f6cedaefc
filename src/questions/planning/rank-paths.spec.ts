import { schema } from '../../../test/support/question-world.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { describePath, type Hop, hopsFrom, isComplete, leadsToOne, rankPaths } from './rank-paths.js';

const hints = (relations: string[] = [], labels: string[] = []) => ({ relations: new Set(relations), labels: new Set(labels) });
const edge = (type: string, sourceLabel: string, targetLabel: string, rowCount = 1) => ({
  type, aliases: [], sourceLabel, targetLabel, properties: [], rowCount,
}); // prettier-ignore
const graph = (edges: GraphSchema['edges']): GraphSchema => ({ labels: [], edges });
const ranked = (...args: Parameters<typeof rankPaths>): string[] => rankPaths(...args).map(({ hops }) => describePath(hops));

describe('rankPaths', () => {
  const two = graph([edge('直', 'A', 'C'), edge('近', 'A', 'B'), edge('远', 'B', 'C')]);

  it('puts the shorter path first', () => {
    expect(ranked(two, 'A', 'C', hints())).toEqual(['A-[直]->C', 'A-[近]->B-[远]->C']);
  });

  it.each([
    ['a relation on it', hints(['远'])],
    ['a label on it', hints([], ['B'])],
  ])('puts the longer path first if %s is named', (_, named) => {
    expect(ranked(two, 'A', 'C', named)[0]).toBe('A-[近]->B-[远]->C');
  });

  it('follows edges backwards too, and passes no label twice', () => {
    expect(ranked(schema, '地区', '产品', hints())).toEqual(['地区<-[位于]-客户-[下单]->订单-[包含]->产品']);
  });

  it('goes no further than three hops', () => {
    expect(ranked(schema, '地区', '供应商', hints())).toEqual([]);
  });

  it('leads back to its own label over another', () => {
    expect(ranked(graph([edge('下单', '客户', '订单')]), '客户', '客户', hints())).toEqual(['客户-[下单]->订单<-[下单]-客户']);
  });

  it('looks at no more than twenty thousand steps of a wide schema, the short ones first', () => {
    const wide = graph(Array.from({ length: 300 }, (_, i) => [edge(`a${i}`, 'A', `M${i}`), edge(`b${i}`, `M${i}`, 'A')]).flat());
    expect(ranked(graph([...wide.edges, edge('直', 'A', 'Z')]), 'A', 'Z', hints())[0]).toBe('A-[直]->Z');
  });
});

describe('hopsFrom', () => {
  it('lists edges both ways, and one of a label to itself once', () => {
    const edges = [
      edge('推荐', '用户', '用户'),
      edge('居住', '用户', '城市'),
      edge('包含', '城市', '用户'),
      edge('供应', '供应商', '产品'),
    ];
    expect(hopsFrom(graph(edges), '用户')).toEqual([
      { type: '推荐', direction: 'out', from: '用户', to: '用户' },
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
