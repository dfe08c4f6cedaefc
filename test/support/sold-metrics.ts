import { type Client, grantConnection, type TestApp } from './app.js';
import { upload } from './ingestion.js';

const sold = {
  table: [
    'id,day,amount,region,product,user_id',
    '1,2023-01-10,80,east,tea,1',
    '2,2023-02-20,20.255,west,tea,2',
    '3,2024-01-05,100,east,tea,1',
    '4,2024-01-20,50,west,cup,2',
    '5,2024-02-01,30,east,cup,3',
    '6,2024-02-02,20,,tea,1',
  ].join('\n'),
  binding: {
    relation: { table: 'sold' },
    time: { column: 'day', timezone: 'Asia/Shanghai' },
    dimensions: [
      { name: '地区', column: 'region' },
      { name: '产品', column: 'product' },
    ],
    entities: [{ name: '用户', column: 'user_id' }],
  },
};

const returned = {
  table: 'on,region,user_id\n2024-01-25,west,2\n2024-02-10,east,9',
  binding: {
    relation: { table: 'returned' },
    time: { column: 'on', timezone: 'Asia/Shanghai' },
    dimensions: [{ name: '地区', column: 'region' }],
    entities: [{ name: '用户', column: 'user_id' }],
  },
};

/** Metrics on six sales and two returns, and requests as the user who defined them. */
export interface SoldMetrics {
  editor: Client;
  graphId: number;
  /** The ids of the metrics by name. */
  ids: Record<string, number>;
  query: (metrics: string[], request?: object) => ReturnType<Client['post']>;
  execute: (name: string, request?: object) => ReturnType<Client['post']>;
}

export async function createSoldMetrics(test: TestApp): Promise<SoldMetrics> {
  const editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  const graphId: number = (await editor.post('/api/graphs').send({ name: '查询' }).expect(201)).body.id;
  await upload(test, 'sold', sold.table, 'day:date,amount:decimal,user_id:integer');
  await upload(test, 'returned', returned.table, 'on:date,user_id:integer');
  const ids: Record<string, number> = {};
  const define = async (name: string, formula: string, binding?: object, more = {}) => {
    const body = { graph_id: graphId, name, formula, ...(binding && { binding }), ...more };
    ids[name] = (await editor.post('/api/metrics').send(body).expect(201)).body.id;
  };
  await define('销售额', 'SUM(amount)', sold.binding, { format: '0.00', unit: 'CNY' });
  await define('订单数', 'COUNT(*)', sold.binding);
  await define('退货数', 'COUNT(*)', returned.binding);
  await define('同比', 'YOY([销售额])');
  await define('占比', 'SHARE([销售额])');
  await define('十三倍', Array.from({ length: 13 }, () => '[订单数]').join(' + '));
  await define('用户占比', 'SHARE(COUNT(DISTINCT user_id))', sold.binding);
  return {
    editor,
    graphId,
    ids,
    query: (metrics, request = {}) =>
      editor.post('/api/metrics/query').send({ graph_id: graphId, metrics: metrics.map(name => ids[name]), ...request }),
    execute: (name, request = {}) => editor.post(`/api/metrics/${ids[name]}/execute`).send(request),
  };
}

/** The place and type of each problem in a 422 answer. */
export async function problems(answer: ReturnType<Client['post']>): Promise<string[]> {
  const { body } = await answer.expect(422);
  return body.detail.errors.map((each: { loc: string[]; type: string }) => `${each.loc.join('.')} ${each.type}`);
}
