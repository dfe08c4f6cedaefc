import { entities, linked, linkOver, metrics, schema } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { type MetricEntry } from '../vocabulary.js';
import { passedNouns } from './metric-filters.js';
import { planMetricQuestion } from './plan-metric-question.js';

const plan = async (question: string, known: MetricEntry[] = metrics) =>
  planMetricQuestion(await linked(question), known, schema, entities, languageOf(question), 100);

describe('planMetricQuestion', () => {
  it('has no plan for a question that names no metric', async () => {
    expect(await plan('华东的客户')).toBeNull();
  });

  it.each([
    ['销售额', { metric_id: 1, dimensions: [], filters: [], time: null, order: [], limit: 100 }],
    ['2024年的销售额', { time: { from: '2024-01-01', to: '2025-01-01' } }],
    ['2025年以来的销售额', { time: { from: '2025-01-01' } }],
    ['2025年以前的销售额', { time: { to: '2025-01-01' } }],
    ['华东的销售额', { filters: [{ field: '地区', op: 'in', values: ['华东'] }], dimensions: [] }],
    ['华东地区的销售额', { filters: [{ field: '地区', op: 'in', values: ['华东'] }], dimensions: [] }],
    ['华东和华南的销售额', { filters: [{ field: '地区', op: 'in', values: ['华东', '华南'] }] }],
    ['华东以外的销售额', { filters: [{ field: '地区', op: 'not_in', values: ['华东'] }] }],
    ['饮料的销售额', { filters: [{ field: '类别', op: 'in', values: ['饮料'] }] }],
    ['每个地区的销售额', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }] }],
    ['revenue by category', { dimensions: ['类别'] }],
    ['每月的销售额', { time: { grain: 'month' }, order: [{ by: 'period', dir: 'asc' }] }],
    ['销售额按季度的趋势', { time: { grain: 'quarter' } }],
    ['2024年和2025年的销售额', { time: { from: '2024-01-01', to: '2026-01-01', grain: 'year' } }],
    ['销售额最高的3个地区', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }], limit: 3 }],
    ['销售额最低的地区', { order: [{ by: 'value', dir: 'asc' }], limit: 1 }],
    ['regions with the highest revenue', { limit: 5 }],
    ['销售额超过20万的地区有哪些', { dimensions: ['地区'], having: [{ op: '>', value: '200000' }], limit: 100 }],
    ['销售额不低于1.5亿元的地区', { having: [{ op: '>=', value: '150000000' }] }],
    [
      '销售额在10万到20万之间的地区',
      {
        having: [
          { op: '>=', value: '100000' },
          { op: '<=', value: '200000' },
        ],
      },
    ],
    ['销售额20万以上的类别', { dimensions: ['类别'], having: [{ op: '>=', value: '200000' }] }],
    ['regions with revenue above 1,200.50', { dimensions: ['地区'], having: [{ op: '>', value: '1200.50' }] }],
    [
      'categories with a revenue between 1 and 2 million',
      {
        having: [
          { op: '>=', value: '1000000' },
          { op: '<=', value: '2000000' },
        ],
      },
    ],
    [
      '销售额在100到200万之间的类别',
      {
        having: [
          { op: '>=', value: '1000000' },
          { op: '<=', value: '2000000' },
        ],
      },
    ],
    [
      '销售额在5000到1万之间的类别',
      {
        having: [
          { op: '>=', value: '5000' },
          { op: '<=', value: '10000' },
        ],
      },
    ],
    ['categories with a revenue of more than 1.5 million in 2024', { having: [{ op: '>', value: '1500000' }] }],
    ['华东的客户在2025年第三季度的销售额', { dimensions: [], filters: [{ field: '地区', op: 'in', values: ['华东'] }] }],
    ['revenue from customers in 华东', { dimensions: [], filters: [{ field: '地区', op: 'in', values: ['华东'] }] }],
    ['华东占销售额的比例是多少', { dimensions: [], share: { of: [] }, filters: [{ field: '地区', op: 'in', values: ['华东'] }] }],
    ['各地区的销售额占比', { dimensions: ['地区'], share: { of: [] } }],
    ['share of revenue by category in 2024', { dimensions: ['类别'], share: { of: [] }, time: { from: '2024-01-01' } }],
    ['各类别在华东的销售额占比', { dimensions: ['类别'], share: { of: [{ field: '地区', op: 'in', values: ['华东'] }] } }],
    ['2025年的销售额比2024年增长了多少', { time: { from: '2025-01-01', to: '2026-01-01' }, compare: { offset: '1 year' } }],
    ['2024年的销售额同比增长', { time: { from: '2024-01-01' }, compare: { offset: '1 year' } }],
    ['2024年第二季度的销售额环比增长多少', { compare: { offset: '1 quarter' } }],
    ['今年第一季度的销售额比去年同期增长多少', { time: { from: '2026-01-01', to: '2026-04-01' }, compare: { offset: '1 year' } }],
    ['How much did revenue grow in 2025 compared with 2023?', { compare: { offset: '2 year' } }],
    ['year-over-year growth of revenue in Q1 2025', { compare: { offset: '1 year' }, time: { from: '2025-01-01', to: '2025-04-01' } }],
    ['华东的销售额比华南高吗', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }], limit: 100 }],
    ['2025年的销售额比2024年高吗', { time: { from: '2024-01-01', to: '2026-01-01', grain: 'year' }, limit: 100 }],
    ['各地区的销售额从低到高', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }], limit: 100 }],
    ['revenue by region in descending order', { order: [{ by: 'value', dir: 'desc' }], limit: 100 }],
    ['revenue by region sorted by revenue', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }] }],
    ['regions sorted by revenue, lowest first', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }] }],
    ['rank regions by revenue', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }] }],
    ['revenue by region in descending order of revenue', { order: [{ by: 'value', dir: 'desc' }] }],
    ['各地区的销售额按销售额升序', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }] }],
    ['按地区的销售额排序', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }] }],
    ['销售额按地区从低到高', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }] }],
    ['华东的销售额比华南低吗', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }], limit: 100 }],
    ['华东和华南哪个地区的销售额占比高', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }], limit: 1 }],
    ['各地区的销售额比去年增长了多少', { dimensions: ['地区'], compare: { offset: '1 year' } }],
    ['销售额超过¥20000的地区', { having: [{ op: '>', value: '20000' }] }],
    ['regions with revenue over 20,000 yuan', { having: [{ op: '>', value: '20000' }] }],
    ['华东和华南哪个地区的销售额高', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }], limit: 1 }],
    ['2025年8月比7月销售额增长多少', { time: { from: '2025-08-01', to: '2025-09-01' }, compare: { offset: '1 month' } }],
    ['2025年8月的销售额比7月增长多少', { time: { from: '2025-08-01', to: '2025-09-01' }, compare: { offset: '1 month' } }],
    ['与2024年相比2025年销售额增长多少', { time: { from: '2025-01-01' }, compare: { offset: '1 year' } }],
    ['今年7月和8月的销售额环比', { time: { from: '2026-08-01', to: '2026-09-01' }, compare: { offset: '1 month' } }],
    ['2025年7月和8月的销售额', { time: { from: '2025-07-01', to: '2025-09-01', grain: 'month' } }],
    ['2024年和2025年相比销售额增长多少', { time: { from: '2025-01-01', to: '2026-01-01' }, compare: { offset: '1 year' } }],
    ['2024年与2025年比，销售额变化多少', { time: { from: '2025-01-01', to: '2026-01-01' }, compare: { offset: '1 year' } }],
    ['今年7月和8月比销售额增长多少', { time: { from: '2026-08-01', to: '2026-09-01' }, compare: { offset: '1 month' } }],
    ['2025年12月和1月的销售额对比', { time: { from: '2025-12-01', to: '2026-02-01', grain: 'month' }, compare: null }],
    ['对比各地区的销售额', { dimensions: ['地区'], filters: [] }],
    ['对比2024年各地区的销售额', { dimensions: ['地区'], time: { from: '2024-01-01' } }],
    ['各地区销售额排名', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }] }],
    ['top 3 regions by revenue in descending order', { order: [{ by: 'value', dir: 'desc' }], limit: 3 }],
    ['比较各地区的销售额', { dimensions: ['地区'] }],
    ['各地区销售额的比较', { dimensions: ['地区'] }],
    ['对比华东各类别的销售额', { dimensions: ['类别'], filters: [{ values: ['华东'] }] }],
    ['各类别在华东和华南的销售额', { dimensions: ['类别'], filters: [{ values: ['华东', '华南'] }] }],
    ['每个类别在华东和华南的销售额', { dimensions: ['类别'], filters: [{ values: ['华东', '华南'] }] }],
    ['revenue of each category in 华东 and 华南', { dimensions: ['类别'], filters: [{ values: ['华东', '华南'] }] }],
    ['各类别在华东和华南各自的销售额', { dimensions: ['类别', '地区'] }],
    ['2024年销售额总数是多少', { dimensions: [], time: { from: '2024-01-01' } }],
    ['revenue in July and August 2025', { time: { from: '2025-07-01', to: '2025-09-01', grain: 'month' } }],
    ['华东和华南各自的销售额', { dimensions: ['地区'], filters: [{ values: ['华东', '华南'] }] }],
    ['华东和华南分别的销售额', { dimensions: ['地区'], filters: [{ values: ['华东', '华南'] }] }],
    ['华东和华南的销售额对比', { dimensions: ['地区'], filters: [{ values: ['华东', '华南'] }] }],
    ['比较华东和华南的销售额', { dimensions: ['地区'] }],
    ['revenue of 华东 compared with 华南', { dimensions: ['地区'] }],
    ['revenue 华东 vs 华南', { dimensions: ['地区'] }],
    ['revenue of 华东 and 华南 respectively', { dimensions: ['地区'] }],
    ['revenue in 2025 compared with 2024', { time: { from: '2024-01-01', to: '2026-01-01', grain: 'year' }, compare: null }],
    ['revenue of categories by region', { dimensions: ['地区'] }],
    ['各地区的类别销售额', { dimensions: ['地区'] }],
    ['各地区各类别的销售额', { dimensions: ['地区', '类别'] }],
    ['how much revenue', { dimensions: [] }],
    ['Which has less revenue, 华东 or 华南?', { dimensions: ['地区'], order: [{ by: 'value', dir: 'asc' }], limit: 1 }],
  ])('%s', async (question, call) => {
    expect(await plan(question)).toMatchObject(call);
  });

  it.each([
    ['没有华东的销售额', '没有'],
    ['Exotic的销售额', 'no dimension for "exotic"'],
    ['德国的销售额', 'no dimension for "德国"'],
    ['每个供应商的销售额', 'no dimension "供应商"'],
    ['销售额和订单数', 'apart'],
    ['销售额和单价', 'apart'],
    ['平均销售额', 'average'],
    ['销售额大于18', 'what is to be listed'],
    ['2023年和2025年的销售额', 'follow one another'],
    ['每月销售额最高的地区', 'within each group'],
    ['每年每月的销售额', 'apart'],
    ['星期几的销售额最高', 'days of the week'],
    ['销售额超过20万美元的地区', 'cannot be compared in "美元"'],
    ['regions with revenue over $20,000', 'cannot be compared in "$"'],
    ['销售额超过£20000的地区', 'cannot be compared in "£"'],
    ['2024年的销售额从高到低', 'can only sort the values of the metric'],
    ['revenue by region sorted by region', 'can only sort the values of the metric'],
    ['revenue sorted by region', 'can only sort the values of the metric'],
    ['revenue by region sorted by time', 'can only sort the values of the metric'],
    ['revenue by region sorted by category', 'can only sort the values of the metric'],
    ['rank revenue by region', 'can only sort the values of the metric'],
    ['revenue by region in descending order of region', 'can only sort the values of the metric'],
    ['revenue by region sorted by revenue and region', 'can only sort the values of the metric'],
    ['revenue by region, oldest first', 'can only sort the values of the metric'],
    ['revenue by region, cheapest first', 'can only sort the values of the metric'],
    ['各地区的销售额按地区排序', 'can only sort the values of the metric'],
    ['各地区的销售额按类别降序', 'can only sort the values of the metric'],
    ['各地区的销售额按销售额和地区排序', 'can only sort the values of the metric'],
    ['各地区的销售额从旧到新', 'can only sort the values of the metric'],
    ['各地区的销售额比去年高吗', 'what "比" is between'],
    ['各地区的销售额比华东高吗', 'what "比" is between'],
    ['revenue by region compared with last year', 'what "compared with" is between'],
    ['各地区销售额与去年对比', 'what "对比" is between'],
    ['各地区的销售额对比去年', 'what "对比" is between'],
    ['bottom 3 regions by revenue in descending order', 'can only sort the values of the metric'],
    ['revenue of regions with more than 20 orders', 'no dimension "orders"'],
    ['2024年3月的销售额增长了多少', 'year over year'],
    ['2025年销售额下降的地区有哪些', 'cannot be listed yet'],
    ['哪些地区2025年的销售额增长了？', 'cannot be listed yet'],
    ['regions where revenue fell in 2025', 'cannot be listed yet'],
    ['which regions grew their revenue in 2025', 'cannot be listed yet'],
    ['销售额增长了多少', 'name the period'],
    ['2024年的销售额比2025年3月增长了多少', 'whole years'],
    ['华东的饮料占销售额的比例', 'which part'],
    ['销售额占比', 'which part'],
    ['哪个地区的销售额更高', 'not clear what'],
    ['去年同期的销售额', 'same period'],
    ['销售额的中位数', 'cannot ask for the "中位数"'],
    ['median revenue', 'cannot ask for the "median"'],
    ['count of revenue', 'what "count of" counts'],
    ['number of revenue', 'what "number of" counts'],
    ['how many revenue in 2024', 'what "how many" counts'],
    ['销售额的个数', 'what "个数" counts'],
    ['first 2 regions by revenue', 'ranked by its value only'],
    ['last region by revenue', 'ranked by its value only'],
    ['Which region is last by revenue?', 'ranked by its value only'],
    ['销售额最后的地区', 'ranked by its value only'],
    ['销售额最后的3个地区', 'ranked by its value only'],
    ['latest revenue by region', 'ranked by its value only'],
    ['销售额最早的地区', 'ranked by its value only'],
    ['销售额最贵的类别', 'ranked by its value only'],
    ['how many regions have revenue above 100', 'apart'],
    ['revenue compared with 华东', 'what "compared with" is between'],
    ['华东各自的销售额', 'what "各自" is between'],
    ['revenue by category compared with 华东', 'what "compared with" is between'],
    ['1月比2月销售额增长多少', 'is later than "1月"'],
    ['revenue growth in 2024 vs last year', '"last year" is later than "2024"'],
  ])('%s: leaves nothing out silently', async (question, reason) => {
    expect(await plan(question)).toMatchObject({ reason: { en: expect.stringContaining(reason) } });
  });

  it.each([
    ['What is the number of active users in 2024?', null, true],
    ['count of active users', null, null],
    ['华东活跃用户数', null, true],
    ['活跃用户总数', '人', false],
    ['how many active users', 'CNY', true],
  ])('%s: takes the metric that counts (unit %s)', async (question, unit, counts) => {
    const known = metrics.map(metric => ({ ...metric, name: '活跃用户', aliases: ['active users'], unit, counts }));
    const found = await linkOver(question, { schema, nodes: [...entities.values()], metrics: known });
    expect(planMetricQuestion(found, known, schema, entities, 'zh', 100)).toMatchObject({ metric: '活跃用户' });
  });

  it.each([null, true])('number of orders: takes the metric before the label of its name (counts %s)', async counts => {
    const known = metrics.map(metric => ({ ...metric, name: 'Orders', aliases: [], unit: null, counts }));
    const found = await linkOver('number of orders in 2024', { schema, nodes: [], metrics: known });
    expect(planMetricQuestion(found, known, schema, entities, 'en', 100)).toMatchObject({ metric: 'Orders', time: { from: '2024-01-01' } });
  });

  it.each([
    ['各地区的类别的销售额', ['类别']],
    ['各地区类别销售额', ['类别']],
    ['revenue of categories by region', ['categories']],
    ['各地区各类别的销售额', []],
    ['类别的销售额', []],
  ])('%s: names the nouns that are not groups', async (question, nouns) => {
    expect(await plan(question)).toHaveProperty('metric_id');
    expect(passedNouns(await linked(question))).toEqual(nouns);
  });

  it.each([
    ['按月和地区的销售额', ['地区'], 'month'],
    ['按季度、地区的销售额', ['地区'], 'quarter'],
    ['每月和地区的销售额', ['地区'], 'month'],
    ['按地区和月统计销售额', ['地区'], 'month'],
    ['按地区、年统计销售额', ['地区'], 'year'],
    ['按地区和类别和月的销售额', ['地区', '类别'], 'month'],
    ['按地区和类别统计销售额', ['地区', '类别'], null],
    ['按地区、类别统计的销售额', ['地区', '类别'], null],
    ['每个地区和类别的销售额', ['地区', '类别'], null],
    ['revenue by month and region', ['地区'], 'month'],
    ['revenue by region and category', ['地区', '类别'], null],
    ['各地区的类别的销售额', ['地区'], null],
  ])('%s: groups by each joined word', async (question, dimensions, grain) => {
    expect(await plan(question)).toMatchObject({ dimensions, time: grain === null ? null : { grain } });
    expect(passedNouns(await linked(question))).toEqual(question === '各地区的类别的销售额' ? ['类别'] : []);
  });

  it('groups by one unit of time', async () => {
    expect(await plan('按年和月统计销售额')).toMatchObject({
      reason: { en: expect.stringContaining('one unit of time: name "按年" or "月"') },
    });
    expect(await plan('按年和年的销售额')).toMatchObject({ time: { grain: 'year' } });
  });

  it('refuses the number of a sum without a unit', async () => {
    const known = metrics.map(metric => ({ ...metric, unit: null }));
    expect(await plan('count of revenue', known)).toMatchObject({ reason: { en: expect.stringContaining('what "count of" counts') } });
  });

  it('has no shares of a metric that does not add up', async () => {
    const averages = metrics.map(metric => ({ ...metric, is_additive: false }));
    expect(await plan('各地区的销售额占比', averages)).toMatchObject({ reason: { en: expect.stringContaining('no shares') } });
  });

  it('needs a time to be bound for a question that names one', async () => {
    const timeless = metrics.map(metric => ({ ...metric, has_time: false }));
    expect(await plan('2024年的销售额', timeless)).toMatchObject({ reason: { en: expect.stringContaining('not bound to a time') } });
  });
});
