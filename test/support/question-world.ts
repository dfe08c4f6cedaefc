import { Pace } from '../../src/common/turns/pace.js';
import { type AnswerNode } from '../../src/cypher/values/graph-values.js';
import { nameForm } from '../../src/graph-index/name-form.js';
import { type KnownValue } from '../../src/graph-index/value-dictionary.js';
import { Lexicon } from '../../src/questions/linking/lexicon.js';
import { type LinkedQuestion, linkQuestion } from '../../src/questions/linking/link-question.js';
import { readTerms } from '../../src/questions/linking/read-terms.js';
import { type QuestionTerms } from '../../src/questions/linking/question-terms.js';
import { carriesMeaning } from '../../src/questions/linking/stop-words.js';
import { planGraphQuestion } from '../../src/questions/planning/plan-graph-question.js';
import { type GraphPlan } from '../../src/questions/planning/question-plan.js';
import { type PlanSchema } from '../../src/questions/planning/schema-paths.js';
import { type MetricEntry } from '../../src/questions/vocabulary.js';
import { languageOf } from '../../src/text/language.js';

export const label = (name: string, alias: string, key: string, properties: [name: string, type: string, column: string][]) => ({
  name,
  aliases: [alias],
  displayProperty: null,
  keyProperties: [key],
  properties: properties.map(([own, type, column]) => ({ name: own, type, column })),
  rowCount: 10,
});
type Properties = [name: string, type: string, ...aliases: string[]][];

/** Makes properties of labels and edges from tuples. */
export const propertiesOf = (properties: Properties) => properties.map(([name, type, ...aliases]) => ({ name, type, aliases }));

/** A label with the key `number` and the display property `name`. */
export const namedLabel = (name: string, aliases: string[], properties: Properties) => ({
  name,
  aliases,
  displayProperty: 'name',
  keyProperties: ['number'],
  properties: propertiesOf([['number', 'int'], ['name', 'string'], ...properties]),
  rowCount: 9,
});

/** A label with Chinese names of properties. Each property has a column. */
export const chineseLabel = (
  name: string,
  aliases: string[],
  properties: [name: string, type: string, column: string, ...aliases: string[]][],
) => ({
  name,
  aliases,
  displayProperty: '名称',
  keyProperties: ['编号'],
  properties: [
    { name: '编号', type: 'int', column: 'id', aliases: [] },
    { name: '名称', type: 'string', column: 'name', aliases: [] },
    ...properties.map(([own, type, column, ...more]) => ({ name: own, type, column, aliases: more })),
  ],
  rowCount: 9,
});

export const edge = (type: string, alias: string | string[], sourceLabel: string, targetLabel: string) => ({
  type,
  aliases: [alias].flat(),
  sourceLabel,
  targetLabel,
  properties: [],
  rowCount: 10,
});

/** The schema of a trading company's graph: an order has one customer, a product one supplier. */
export const schema: PlanSchema = {
  labels: [
    label('客户', 'Customer', '客户编号', [['客户编号', 'string', 'customer_id'], ['国家', 'string', 'country']]),
    label('产品', 'Product', '产品编号', [['产品编号', 'int', 'product_id'], ['类别', 'string', 'category'], ['单价', 'decimal(12,2)', 'unit_price'], ['标签', 'string[]', 'tags']]),
    label('供应商', 'Supplier', '供应商编号', [['供应商编号', 'int', 'supplier_id']]),
    label('订单', 'Order', '订单号', [['订单号', 'bigint', 'order_id'], ['下单日期', 'date', 'order_date']]),
    label('地区', 'Region', '地区编号', [['地区编号', 'int', 'region_id']]),
  ],
  edges: [
    edge('下单', 'PLACED', '客户', '订单'),
    edge('包含', 'CONTAINS', '订单', '产品'),
    edge('供应', 'SUPPLIES', '供应商', '产品'),
    edge('位于', 'LOCATED_IN', '客户', '地区'),
  ],
  toOne: { outgoing: ['位于'], incoming: ['下单', '供应'] },
}; // prettier-ignore

export const metrics: MetricEntry[] = [
  {
    id: 1,
    name: '销售额',
    aliases: ['revenue'],
    unit: 'CNY',
    dimensions: [
      { name: '地区', aliases: ['region'], source: null },
      { name: '类别', aliases: ['category'], source: null },
    ],
    has_time: true,
    is_additive: true,
    counts: false,
    needs_periods: false,
  },
];

const node = (id: number, of: string, key: string, display: string): AnswerNode => ({
  id,
  label: of,
  labels: [of],
  key,
  display,
  properties: { [schema.labels.find(({ name }) => name === of)?.keyProperties[0] ?? '']: key },
});

export const entities = new Map(
  [
    node(1, '客户', 'ALFKI', 'Alfreds'),
    node(2, '地区', 'E', '华东'),
    node(3, '地区', 'S', '华南'),
    node(4, '产品', 'P1', 'Chai'),
    node(5, '产品', 'P2', 'Chang'),
    node(6, '供应商', 'S1', 'Exotic'),
  ].map(each => [each.id, each]),
);

const values = [
  { label: '客户', property: '国家', value: '德国' },
  { label: '客户', property: '国家', value: '中国' },
  { label: '产品', property: '类别', value: '饮料' },
  { label: '产品', property: '类别', value: '零食' },
  { label: '产品', property: '标签', value: '有机' },
  { label: '产品', property: '标签', value: '新品' },
];

/** Links the words of the question as on 20 November 2026. No spelling is corrected. */
export function linked(question: string, own: PlanSchema = schema): Promise<LinkedQuestion> {
  return linkOver(question, { schema: own, nodes: [...entities.values()], values, metrics });
}

/** Links a question over other nodes and values. They are found only by their whole names; signs and spaces do not matter. */
export async function linkOver(
  question: string,
  of: { schema: PlanSchema; nodes: readonly AnswerNode[]; values?: readonly KnownValue[]; metrics?: MetricEntry[] },
): Promise<LinkedQuestion> {
  const lexicon = await Lexicon.build(of.schema, of.metrics ?? [], new Pace());
  return linkQuestion(question, '2026-11-20', lexicon, {
    findByName: text =>
      of.nodes
        .filter(({ display }) => nameForm(display) === nameForm(text))
        .map(({ id, label: own }) => ({ id, label: own, by: 'display' as const })),
    findValues: text => (of.values ?? []).filter(({ value }) => nameForm(value) === nameForm(text)),
    search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
  });
}

/** Nodes by their number. The key of a node is that number, or its name if `isKeyedByName`. */
export function nodesOf(
  names: readonly [display: string, label: string][],
  keyProperty: string,
  isKeyedByName = false,
): Map<number, AnswerNode> {
  return new Map(
    names.map(([display, own], id) => {
      const key = isKeyedByName ? display : id;
      return [id, { id, label: own, labels: [own], key: String(key), display, properties: { [keyProperty]: key } }];
    }),
  );
}

/** Plans a question over a graph. Returns the reason if it cannot be planned: `unknown: …` or `refused: …`. */
export async function planOver(
  question: string,
  of: { schema: PlanSchema; nodes: ReadonlyMap<number, AnswerNode>; values: readonly KnownValue[] },
): Promise<GraphPlan | string> {
  const linked = await linkOver(question, { ...of, nodes: [...of.nodes.values()] });
  const unknown = linked.unknown.filter(carriesMeaning);
  if (unknown.length > 0) return `unknown: ${unknown.join()}`;
  const found = await planGraphQuestion(linked, of.schema, of.nodes, languageOf(question));
  return 'reason' in found ? `refused: ${found.reason.en}` : found;
}

interface Declared extends PlanSchema {
  /** Displays of the nodes, by label. */
  names: Record<string, string[]>;
  /** The known values of the properties of a label. */
  values?: Record<string, Record<string, string[]>>;
}

/** A world of questions. `plan` returns the plan of a question, `ask` its Cypher text. If there is no plan, both return the reason. */
export function aWorld({ names, values = {}, ...schema }: Declared) {
  const displays = Object.entries(names).flatMap(([own, all]) => all.map((display): [string, string] => [display, own]));
  const nodes = nodesOf(displays, schema.labels[0]?.keyProperties[0] ?? '');
  const known = Object.entries(values).flatMap(([own, properties]) =>
    Object.entries(properties).flatMap(([property, all]) => all.map(value => ({ label: own, property, value }))),
  );
  const world = { schema, nodes, values: known };
  const plan = (question: string) => planOver(question, world);
  const ask = async (question: string) => cypherOf(await plan(question));
  return { ...world, plan, ask };
}

export const cypherOf = (found: GraphPlan | string): string => (typeof found === 'string' ? found : found.cypher);

export async function termsOf(question: string): Promise<QuestionTerms> {
  return readTerms(await linked(question));
}
