import { Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { Lexicon } from '../linking/lexicon.js';
import { linkQuestion } from '../linking/link-question.js';
import { type LabelSource } from './metric-dimensions.js';
import { planGraphQuestion } from './plan-graph-question.js';
import { planMetricQuestion } from './plan-metric-question.js';

const nothing = {
  findByName: () => [],
  findValues: () => [],
  search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
};

/** A relation between many labels, each time with as many names. */
function aSchema(edges: number): GraphSchema {
  const labels = Array.from({ length: 10 }, (_, index) => ({
    name: `类${index}`,
    aliases: [],
    displayProperty: null,
    keyProperties: [],
    properties: [],
    rowCount: 9,
  }));
  return {
    labels,
    edges: Array.from({ length: edges }, (_, index) => ({
      type: '关系',
      aliases: ['拥有', 'owns', ...Array.from({ length: 8 }, (_, other) => `verb${other} word${other}`)],
      sourceLabel: labels[index % 10]!.name,
      targetLabel: labels[(index * 3 + 1) % 10]!.name,
      properties: [],
      rowCount: 9,
    })),
  };
}

/** How often the planner reads the names of relations. */
async function namesRead(question: string, edges: number): Promise<number> {
  const schema = aSchema(edges);
  const lexicon = await Lexicon.build(schema, [], new Pace());
  const linked = await linkQuestion(question, '2026-11-20', lexicon, nothing, new Pace());
  let reads = 0;
  const counted = schema.edges.map(
    edge =>
      new Proxy(edge, {
        get: (target, name) => {
          if (name === 'aliases') reads++;
          return Reflect.get(target, name) as unknown;
        },
      }),
  );
  await planGraphQuestion(linked, { ...schema, edges: counted, toOne: { outgoing: [], incoming: [] } }, new Map(), 'zh');
  return reads;
}

describe('planGraphQuestion over a relation with many ends and names', () => {
  it.each(['拥有'.repeat(59), '类1拥有哪些类2', 'which 类1 owns 类2', '谁拥有类3', '有多少个类3拥有类4', '没有拥有类2的类1'])(
    'reads the names of relations as often as there are relations: %s',
    async question => {
      expect(await namesRead(question, 100)).toBeLessThanOrEqual(4 * 100);
      expect(await namesRead(question, 400)).toBeLessThanOrEqual(4 * 400);
    },
  );
});

const mostDimensions = 100;

/** How often the planner reads the names of a metric's dimensions, if each word is a value of many properties. */
async function dimensionsRead(question: string, meanings: number, column: (dimension: number) => string): Promise<number> {
  const properties = ['一', '二', '三', '四', '五'].map(name => ({ name, type: 'string', column: name }));
  const schema = aSchema(0);
  schema.labels = Array.from({ length: meanings / properties.length }, (_, index) => ({
    ...schema.labels[0]!,
    name: `类${index}`,
    properties,
  }));
  const source = { connectionId: 1, table: '表', queryTables: null };
  const sources = schema.labels.map(({ name }): LabelSource => ({ kind: 'node', name, ...source }));
  let reads = 0;
  const dimensions = Array.from({ length: mostDimensions }, (_, index) => ({
    name: `维度${index}`,
    get aliases() {
      reads++;
      return Array.from({ length: 20 }, (_, alias) => `${index < properties.length ? 'from' : 'to'} ${index} ${alias}`);
    },
    source: { connection_id: 1, table: '表', column: column(index) },
  }));
  const metric = { id: 1, name: '销售额', aliases: [], unit: null, dimensions, is_additive: true, counts: null, has_time: false };
  const values = (value: string) =>
    schema.labels.flatMap(({ name: label }) => properties.map(({ name: property }) => ({ label, property, value })));
  const metrics = [{ ...metric, needs_periods: false }];
  const lexicon = await Lexicon.build(schema, metrics, new Pace());
  const findValues = (text: string) => (/^[甲丙戊庚]/.test(text) && text.length === 2 ? values(text) : []);
  const linked = await linkQuestion(question, '2026-11-20', lexicon, { ...nothing, findValues }, new Pace());
  expect(linked.mentions.filter(({ meanings: all }) => all.length >= meanings)).toHaveLength(question.split('、').length);
  reads = 0;
  planMetricQuestion(linked, metrics, { ...schema, sources }, new Map(), 'zh', 100);
  return reads;
}

/** How often the planner reads the ends of relations, if the question limits a metric by a relation. */
async function endsRead(question: string, edges: number): Promise<number> {
  const schema = aSchema(edges);
  for (const label of schema.labels) label.properties = [{ name: '一', type: 'string', column: '一' }];
  const dimensions = [{ name: '一', aliases: [], source: null }];
  const metric = { id: 1, name: '销售额', aliases: [], unit: null, dimensions, is_additive: true, counts: null, has_time: false };
  const metrics = [{ ...metric, needs_periods: false }];
  const lexicon = await Lexicon.build(schema, metrics, new Pace());
  const findValues = (value: string) => (/^[甲丙]/.test(value) && value.length === 2 ? [{ label: '类1', property: '一', value }] : []);
  const linked = await linkQuestion(question, '2026-11-20', lexicon, { ...nothing, findValues }, new Pace());
  let reads = 0;
  const counted = schema.edges.map(
    edge =>
      new Proxy(edge, {
        get: (target, name) => {
          if (name === 'sourceLabel') reads++;
          return Reflect.get(target, name) as unknown;
        },
      }),
  );
  const toOne = { outgoing: ['关系'], incoming: ['关系'] };
  const plan = planMetricQuestion(linked, metrics, { ...schema, edges: counted, toOne }, new Map(), 'zh', 100);
  expect(plan).toMatchObject({ reason: { zh: expect.stringContaining('不能按关系“拥有”限定') as string } });
  return reads;
}

describe('planMetricQuestion over a metric with many dimensions', () => {
  it.each([
    ['on other columns', (dimension: number) => `列${dimension}`],
    ['on the columns of the values, several on each', (dimension: number) => '一二三四五'[dimension % 5]!],
  ])('reads the names of dimensions as often as there are dimensions, whatever a value may mean: %s', async (_, column) => {
    for (const question of ['甲乙的销售额', 'from 甲乙的销售额', '甲乙、丙丁、戊己、庚辛的销售额'])
      for (const meanings of [100, 1000]) expect(await dimensionsRead(question, meanings, column)).toBeLessThanOrEqual(4 * mostDimensions);
  });

  it.each(['拥有甲乙的销售额', '拥有甲乙拥有丙丁的销售额'])(
    'reads the ends of relations as often as there are relations: %s',
    async question => {
      for (const edges of [100, 400]) expect(await endsRead(question, edges)).toBeLessThanOrEqual(2 * edges);
    },
  );
});
