/**
 * The mapping of the six tables in the examples of the upload route. Swagger UI sends it as its example. The mapping of `npm run demo` is
 * longer.
 */
export const exampleMapping = `version: 1
source:
  connection: pg_mirror
defaults:
  on_error: quarantine
nodes:
  - id: region
    label: 地区
    aliases: [Region]
    table: regions
    key: [region_id]
    display: region_name
    columns:
      - {column: region_id, property: 地区编号, type: int, rules: [required, unique]}
      - {column: region_name, property: 名称, type: string, rules: [required]}
  - id: customer
    label: 客户
    aliases: [Customer]
    table: customers
    key: [customer_id]
    display: company_name
    columns:
      - {column: customer_id, property: 客户编号, type: string, rules: [required, unique]}
      - {column: company_name, property: 公司名称, type: string, transform: [trim], rules: [required, {max_length: 200}]}
      - {column: country, property: 国家, type: string}
  - id: supplier
    label: 供应商
    aliases: [Supplier]
    table: suppliers
    key: [supplier_id]
    display: company_name
    columns:
      - {column: supplier_id, property: 供应商编号, type: int, rules: [required, unique]}
      - {column: company_name, property: 公司名称, type: string, rules: [required]}
      - {column: country, property: 国家, type: string}
  - id: product
    label: 产品
    aliases: [Product]
    table: products
    key: [product_id]
    display: product_name
    columns:
      - {column: product_id, property: 产品编号, type: int, rules: [required, unique]}
      - {column: product_name, property: 名称, type: string, rules: [required]}
      - {column: category, property: 类别, type: string}
      - {column: unit_price, property: 单价, type: 'decimal(12,2)', rules: [{min: 0}]}
  - id: order
    label: 订单
    aliases: [Order]
    table: orders
    key: [order_id]
    columns:
      - {column: order_id, property: 订单号, type: bigint, rules: [required, unique]}
      - {column: order_date, property: 下单日期, type: date, rules: [required]}
      - {column: status, property: 状态, type: string, transform: [{map: {paid: 已付款, shipped: 已发货, cancelled: 已取消}}]}
edges:
  - type: 位于
    aliases: [LOCATED_IN]
    table: customers
    from: {node: customer, match: {customer_id: customer_id}}
    to: {node: region, match: {region_id: region_id}}
  - type: 供应
    aliases: [SUPPLIES]
    table: products
    from: {node: supplier, match: {supplier_id: supplier_id}}
    to: {node: product, match: {product_id: product_id}}
  - type: 下单
    aliases: [PLACED]
    table: orders
    from: {node: customer, match: {customer_id: customer_id}}
    to: {node: order, match: {order_id: order_id}}
  - type: 包含
    aliases: [CONTAINS]
    table: order_lines
    from: {node: order, match: {order_id: order_id}}
    to: {node: product, match: {product_id: product_id}}
    key: [order_id, line_no]
    columns:
      - {column: quantity, property: 数量, type: int, rules: [required, {min: 1}]}
`;
