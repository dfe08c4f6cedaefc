const table = (name: string, summary: string, lines: string[]) => ({ summary: `${name}: ${summary}`, value: `${lines.join('\n')}\n` });

/**
 * CSV bodies for Swagger UI, by the table name that belongs into the path. The mapping, the queries and the metrics in the examples of
 * other routes use these six tables. `npm run demo` loads the same tables with more rows.
 */
const csvExamples = {
  customers: table('customers', '客户', [
    'customer_id,company_name,country,region_id',
    'C00001,上海贸易公司,中国,1',
    'C00002,杭州百货,中国,1',
    'C00003,广州超市,中国,2',
    'C00004,Berlin Trading Company,Germany,3',
  ]),
  regions: table('regions', '地区', ['region_id,region_name', '1,华东', '2,华南', '3,Europe']),
  suppliers: table('suppliers', '供应商', [
    'supplier_id,company_name,country',
    '1,华南电子有限公司,中国',
    '2,云岭茶业,中国',
    '3,"Oak, Pine & Co.",Sweden',
  ]),
  products: table('products', '产品', [
    'product_id,product_name,category,unit_price,supplier_id',
    '1,蓝牙耳机,电子,299.00,1',
    '2,无线鼠标,电子,89.00,1',
    '3,机械键盘,电子,399.00,1',
    '4,普洱茶饼,食品,128.00,2',
    '5,茉莉花茶,食品,68.00,2',
    '6,Oak Chair,家居,459.00,3',
  ]),
  orders: table('orders', '订单', [
    'order_id,customer_id,order_date,status',
    '1001,C00001,2024-11-05,paid',
    '1002,C00001,2025-01-15,paid',
    '1003,C00002,2025-02-10,shipped',
    '1004,C00003,2025-02-20,paid',
    '1005,C00004,2025-07-01,cancelled',
  ]),
  order_lines: table('order_lines', '订单行', [
    'order_id,line_no,product_id,quantity,unit_price,discount',
    '1001,1,1,2,299.00,0',
    '1002,1,4,10,128.00,0.1',
    '1002,2,5,4,68.00,0',
    '1003,1,2,5,89.00,0.05',
    '1004,1,3,3,399.00,0',
    '1005,1,6,1,459.00,0.2',
  ]),
};

/** Bodies for Swagger UI, by media type. */
export const tableExamples = {
  'text/csv': csvExamples,
  'application/x-ndjson': {
    events: table('events', '事件', [
      '{"id": 1, "at": "2025-01-15T09:30:00Z", "customer_id": "C00001", "tags": ["web", "promo"], "amount": 12.50}',
      '{"id": 2, "at": "2025-01-15T10:00:00Z", "customer_id": "C00002", "detail": {"page": "/cart", "items": 3}}',
    ]),
  },
};
