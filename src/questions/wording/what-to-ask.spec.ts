import { linked, metrics, schema } from '../../../test/support/question-world.js';
import { type MetricEntry } from '../vocabulary.js';
import { whatToAsk } from './what-to-ask.js';

const suggest = async (question: string, language: 'zh' | 'en', known: MetricEntry[] = metrics) =>
  whatToAsk(await linked(question), schema, known, language);

describe('whatToAsk', () => {
  it.each([
    ['每个供应商的销售额', 'zh', '指标“销售额”可以按地区、类别、时间来问。'],
    ['revenue of suppliers', 'en', 'The metric "revenue" can be asked by region, category, time.'],
    ['没有产品的供应商', 'zh', '关于“产品”可以问属性：产品编号、类别、单价、标签；关系：包含 (订单)、供应 (供应商)。'],
    ['customers without', 'en', 'Questions about "Customer" can name the properties customer id, country and the relations PLACED (Order), LOCATED IN (Region).'],
    ['天气', 'zh', '可以问：客户、产品、供应商、订单、地区；指标：销售额。'],
    ['weather', 'en', 'You can ask about Customer, Product, Supplier, Order, Region; metrics: revenue.'],
  ] as const)('%s: %s, %s', async (question, language, text) => {
    expect(await suggest(question, language)).toBe(text);
  });

  it('says that a metric has no dimensions', async () => {
    const plain = metrics.map(metric => ({ ...metric, dimensions: [], has_time: false }));
    expect(await suggest('revenue', 'en', plain)).toBe('The metric "revenue" has no dimensions.');
  });

  it('has nothing to suggest for an empty graph', async () => {
    expect(whatToAsk(await linked('weather'), { labels: [], edges: [] }, [], 'en')).toBe('');
  });
}); // prettier-ignore
