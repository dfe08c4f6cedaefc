/** Examples of requests. They work when pasted, on the tables in the examples of the upload route and on the tables of `npm run demo`. */
export const formulaExample = 'SUM(unit_price * quantity * (1 - discount))';

export const bindingExample = {
  relation: { table: 'order_lines' },
  grain: ['order_id', 'line_no'],
  joins: [
    { table: 'orders', on: [['order_lines.order_id', 'orders.order_id']] },
    { table: 'customers', on: [['orders.customer_id', 'customers.customer_id']] },
    { table: 'regions', on: [['customers.region_id', 'regions.region_id']] },
    { table: 'products', on: [['order_lines.product_id', 'products.product_id']] },
  ],
  time: { column: 'orders.order_date', timezone: 'Asia/Shanghai' },
  dimensions: [
    { name: '地区', aliases: ['region'], column: 'regions.region_name' },
    { name: '产品', aliases: ['product'], column: 'products.product_name' },
    { name: '类别', aliases: ['category'], column: 'products.category' },
  ],
};

export const createMetricExamples = {
  revenue: {
    summary: '折后销售额，绑定订单行 / revenue after discount, bound to order lines',
    value: { graph_id: 1, name: '净销售额', aliases: ['net revenue'], formula: formulaExample, unit: 'CNY', binding: bindingExample },
  },
  orders: {
    summary: '订单数，去重计数 / orders, counted once each',
    value: { graph_id: 1, name: '订单数', aliases: ['orders'], formula: '去重计数(order_id)', binding: bindingExample },
  },
  average: {
    summary: '客单价，由其他指标组成，不需要绑定 / average order value, made of other metrics, bound to nothing',
    value: { graph_id: 1, name: '客单价', aliases: ['average order value'], formula: '[净销售额] / [订单数]', unit: 'CNY' },
  },
};

/**
 * Examples of changes of metric 1. They keep its name, because formulas of other metrics use that name. On the service of `npm run demo`
 * metric 1 is 销售额; elsewhere it is 净销售额, the first example of a new metric. With the alias 销售额 a question for 销售额 means metric 1 on both.
 */
export const changeMetricExamples = {
  aliases: {
    summary: '别名与说明 / aliases and a description',
    value: {
      aliases: ['revenue', 'net revenue', '销售额'],
      unit: 'CNY',
      format: '0.00',
      description: '折后销售额 / revenue after discount',
    },
  },
};

export const bindMetricExamples = {
  star: { summary: '事实表与四个多对一连接 / a fact table and four many-to-one joins', value: bindingExample },
  table: { summary: '只给出表：全部列可用 / a table alone: all its columns', value: { relation: { table: 'order_lines' } } },
  sql: {
    summary: '一条受检的 SELECT / one guarded SELECT',
    value: {
      relation: {
        sql: 'SELECT order_id, product_id, quantity, unit_price, discount FROM order_lines WHERE quantity > 0',
      },
    },
  },
};

export const executeMetricExamples = {
  monthly: {
    summary: '按月、按地区 / by month and region',
    value: { dimensions: ['地区'], time: { grain: 'month' }, order: [{ by: 'period' }], limit: 100 },
  },
  top: {
    summary: '前三名产品与总计 / the top three products, with totals',
    value: { dimensions: ['product'], having: [{ op: '>', value: '100' }], order: [{ by: 'value', dir: 'desc' }], limit: 3, totals: true },
  },
  filtered: {
    summary: '筛选条件与 SQL 谓词 / filters and an SQL predicate',
    value: { filters: [{ field: 'quantity', op: '>=', value: 2 }], filter_clause: '"地区" IS NOT NULL AND discount < 0.5' },
  },
  compared: {
    summary: '按季度与一年前相比 / by quarter, against the year before',
    value: { time: { grain: 'quarter' }, compare: { offset: '1 year' } },
  },
  whole: { summary: '一个总数 / one number', value: {} },
};

export const queryMetricsExamples = {
  several: {
    summary: '两个指标并列 / two metrics side by side',
    value: { graph_id: 1, metrics: [1, 2], dimensions: ['类别'], time: { grain: 'year' }, order: [{ by: '类别' }, { by: 'period' }] },
  },
  filtered: {
    summary: '仅销售额过万的产品 / only products that sold for more than 10,000',
    value: { graph_id: 1, metrics: [2], dimensions: ['产品'], filters: [{ metric: 1, by: '产品', op: '>', value: 10_000 }] },
  },
};

export const parseFormulaExamples = {
  ratio: { summary: '比率 / ratio', value: { formula: '求和(unit_price * quantity 条件 discount > 0) / [订单数]' } },
  rolling: { summary: '滚动七天 / rolling seven days', value: { formula: 'ROLLING([净销售额], 7 DAY)' } },
};
