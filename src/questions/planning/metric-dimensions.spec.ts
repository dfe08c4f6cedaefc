import { entities, linked, linkOver, metrics, schema } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { type Meaning } from '../linking/meaning.js';
import { type MetricSchema } from './metric-dimensions.js';
import { planMetricQuestion } from './plan-metric-question.js';

describe('the dimensions that planMetricQuestion takes', () => {
  it('takes a dimension for the column that it is, whatever its name', async () => {
    const source = { connection_id: 1, table: 'suppliers', column: 'country' };
    const known = metrics.map(metric => ({ ...metric, dimensions: [{ name: '国家', aliases: [], source }] }));
    const of = (table: string) => ({
      ...schema,
      sources: [{ kind: 'node' as const, name: '客户', connectionId: 1, table, queryTables: null }],
    });
    const planned = async (table: string) => planMetricQuestion(await linked('德国的销售额'), known, of(table), entities, 'zh', 100);
    expect(await planned('shop.suppliers')).toMatchObject({ filters: [{ field: '国家', op: 'in', values: ['德国'] }] });
    expect(await planned('customers')).toMatchObject({ reason: { zh: expect.stringContaining('没有“德国”对应的维度') } });
  });

  it('refuses a week that may be the dimension of its name', async () => {
    const known = metrics.map(metric => ({ ...metric, dimensions: [...metric.dimensions, { name: '星期', aliases: [], source: null }] }));
    const planned = async (question: string) =>
      planMetricQuestion(await linkOver(question, { schema, nodes: [], metrics: known }), known, schema, entities, 'zh', 100);
    expect(await planned('按星期的销售额')).toMatchObject({ reason: { zh: expect.stringContaining('请写“按周”或“各星期”') } });
    expect(await planned('各星期的销售额')).toMatchObject({ dimensions: ['星期'] });
    expect(await planned('按周的销售额')).toMatchObject({ time: { grain: 'week' } });
  });

  /** Plans with two dimensions for one table. */
  const planRoles = async (roles: { name: string; aliases: string[] }[], question: string, choices: string[] = []) => {
    const source = { connection_id: 1, table: 'regions', column: 'region_id' };
    const known = metrics.map(metric => ({ ...metric, dimensions: roles.map(role => ({ ...role, source })) }));
    const sources = [{ kind: 'node' as const, name: '地区', connectionId: 1, table: 'regions', queryTables: null }];
    const labels = schema.labels.map(each => ({
      ...each,
      properties: each.properties.map(property => (property.name === '地区编号' ? { ...property, column: 'region_id' } : property)),
    }));
    return planMetricQuestion(await linked(question), known, { ...schema, labels, sources }, entities, 'zh', 100, choices);
  };

  it('asks back where two dimensions stand for one table', async () => {
    const roles = ['出发地区', '到达地区'].map(name => ({ name, aliases: [] }));
    const planned = (question: string, choices?: string[]) => planRoles(roles, question, choices);
    const asked = await planned('华东的销售额');
    expect(asked).toMatchObject({ choices: [{ text: '出发地区' }, { text: '到达地区' }] });
    const tokens = asked && 'choices' in asked ? (asked.choices ?? []).map(({ token }) => token) : [];
    expect(await planned('华东的销售额', tokens.slice(1))).toMatchObject({ filters: [{ field: '到达地区' }] });
    expect(await planned('到达地区华东的销售额')).toMatchObject({ filters: [{ field: '到达地区' }] });
    const both = [{ field: '出发地区', values: ['E'] }, { field: '到达地区', values: ['S'] }]; // prettier-ignore
    expect(await planned('从华东到华南的销售额')).toMatchObject({ filters: both });
    expect(await planned('revenue from 华东')).toMatchObject({ filters: [{ field: '出发地区' }] });
    expect(await planned('revenue of 华东')).toHaveProperty('choices');
  });

  const ends = [{ name: '出发地区', aliases: ['from_region'] }, { name: '到达地区', aliases: ['to_region'] }]; // prettier-ignore
  it.each([
    ['revenue from 华东 to 华南', { 出发地区: 'E', 到达地区: 'S' }],
    ['revenue from region "华东" into the region "华南"', { 出发地区: 'E', 到达地区: 'S' }],
    ['从“华东”到地区华南的销售额', { 出发地区: 'E', 到达地区: 'S' }],
    ['从华东地区到华南地区的销售额', { 出发地区: 'E', 到达地区: 'S' }],
    ['2025年到华南的销售额', { 到达地区: 'S' }],
    ['revenue in 2025 from 华东', { 出发地区: 'E' }],
  ])('%s: tells one of two dimensions', async (question, filters) => {
    const expected = Object.entries(filters).map(([field, value]) => ({ field, op: 'in', values: [value] }));
    expect(await planRoles(ends, question)).toMatchObject({ filters: expected });
  });

  it.each([
    'revenue to and from 华东',
    'revenue from and to region 华东',
    'revenue related to 华东',
    'revenue related to region 华东',
    'revenue up to 华东',
    'revenue apart from 华东',
    '到和从华东的销售额',
  ])('%s: asks back, because the preposition belongs to another word', async question => {
    expect(await planRoles(ends, question)).toMatchObject({ choices: [{ text: '出发地区' }, { text: '到达地区' }] });
  });

  it('takes no character of a word for an end', async () => {
    const places = ['出生地区', '居住地区'].map(name => ({ name, aliases: [] }));
    expect(await planRoles(places, '来自华东的销售额')).toHaveProperty('choices');
    expect(await planRoles([{ name: '出发地区', aliases: [] }, { name: '居住地区', aliases: [] }], '来自华东的销售额')).toHaveProperty('choices'); // prettier-ignore
  });

  describe('given a relation', () => {
    const edge = (type: string, sourceLabel: string, targetLabel: string) => ({
      type,
      aliases: [],
      sourceLabel,
      targetLabel,
      properties: [],
      rowCount: 10,
    });
    const known = metrics.map(metric => ({ ...metric, dimensions: [...metric.dimensions, { name: '供应商', aliases: [], source: null }] }));
    const planned = async (question: string, world: MetricSchema = schema) =>
      planMetricQuestion(await linked(question), known, world, entities, languageOf(question), 100);

    it.each(['revenue from products supplied by Exotic', 'Exotic供应的产品的销售额', 'revenue of customers located in 华东'])(
      '%s: takes the edge that the dimension stands for',
      async question => {
        expect(await planned(question)).toMatchObject({ filters: [{ op: 'in' }] });
      },
    );

    it.each([
      'revenue from orders containing 饮料',
      'revenue from products supplied by 华东',
      '华东的客户下单的销售额',
      'supplied revenue',
    ])('%s: refuses another', async question => {
      expect(await planned(question)).toMatchObject({ reason: { en: expect.stringContaining('by the relation') } });
    });

    it('refuses one of two edges between the same labels, and one that leads to several', async () => {
      const two = { ...schema, edges: [...schema.edges, edge('审核', '供应商', '产品')] };
      const many = { ...schema, toOne: { outgoing: [], incoming: [] } };
      for (const world of [two, many])
        expect(await planned('revenue from products supplied by Exotic', world)).toMatchObject({
          reason: { en: expect.stringContaining('by the relation') },
        });
    });
  });

  describe('given a name that several nodes have', () => {
    const node = (id: number, key: string, display: string) => ({
      id,
      label: '地区',
      labels: ['地区'],
      key,
      display,
      properties: { 地区编号: key },
    });
    const named = async (nodes: ReturnType<typeof node>[], choices: string[] = []) => {
      const question = await linked('华东的销售额');
      const mentions = question.mentions.map(mention => ({
        ...mention,
        meanings: mention.meanings.map(meaning =>
          meaning.as === 'entity' ? { ...meaning, nodes: nodes.map(({ id }) => ({ id, label: '地区' })) } : meaning,
        ),
      }));
      const known = new Map(nodes.map(each => [each.id, each]));
      return planMetricQuestion({ ...question, mentions }, metrics, schema, known, 'zh', 100, choices);
    };
    const [east, other] = [node(2, 'E', '华东'), node(7, 'E2', '华东区')];

    it('asks back, and takes the choice', async () => {
      const asked = await named([east, other]);
      expect(asked).toMatchObject({ choices: [{ text: '华东（地区 E）' }, { text: '华东区（地区 E2）' }] });
      const tokens = asked && 'choices' in asked ? (asked.choices ?? []).map(({ token }) => token) : [];
      expect(await named([east, other], tokens.slice(1))).toMatchObject({ filters: [{ values: ['华东区'] }] });
    });

    it('refuses names that the dimension does not tell apart', async () => {
      expect(await named([east, node(7, 'E2', '华东')])).toHaveProperty('choices');
      const asked = await named([east, node(7, 'E2', '华东')]);
      const tokens = asked && 'choices' in asked ? (asked.choices ?? []).map(({ token }) => token) : [];
      expect(await named([east, node(7, 'E2', '华东')], tokens.slice(0, 1))).toMatchObject({
        reason: { en: expect.stringContaining('does not tell them apart') },
      });
    });

    it('refuses a choice that is gone', async () => {
      const asked = await named([east, other]);
      const tokens = asked && 'choices' in asked ? (asked.choices ?? []).map(({ token }) => token) : [];
      expect(await named([east], tokens.slice(1))).toMatchObject({ reason: { zh: expect.stringContaining('“地区 E2”') } });
    });
  });

  it('does not choose between two properties of a value', async () => {
    const question = await linked('饮料的销售额');
    const tagged = {
      ...question,
      mentions: question.mentions.map(mention => ({
        ...mention,
        meanings: mention.meanings.flatMap((meaning): Meaning[] =>
          meaning.as === 'value' ? [meaning, { ...meaning, property: '标签' }] : [meaning],
        ),
      })),
    };
    expect(planMetricQuestion(tagged, metrics, schema, entities, 'zh', 100)).toMatchObject({
      reason: { en: expect.stringContaining('may be a value of 类别 or 标签') },
    });
  });
});
