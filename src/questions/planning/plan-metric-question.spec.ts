import { entities, linked, metrics, schema } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { type MetricEntry } from '../vocabulary.js';
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
    ['2024年和2025年的销售额', { time: { from: '2024-01-01', to: '2026-01-01', grain: 'year' } }],
    ['销售额最高的3个地区', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' }], limit: 3 }],
    ['销售额最低的地区', { order: [{ by: 'value', dir: 'asc' }], limit: 1 }],
    ['regions with the highest revenue', { limit: 5 }],
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
    ['销售额大于18', 'Conditions'],
    ['2023年和2025年的销售额', 'follow one another'],
    ['每月销售额最高的地区', 'within each group'],
  ])('%s: leaves nothing out silently', async (question, reason) => {
    expect(await plan(question)).toMatchObject({ reason: { en: expect.stringContaining(reason) } });
  });

  it('needs a time to be bound for a question that names one', async () => {
    const timeless = metrics.map(metric => ({ ...metric, has_time: false }));
    expect(await plan('2024年的销售额', timeless)).toMatchObject({ reason: { en: expect.stringContaining('not bound to a time') } });
  });
});
