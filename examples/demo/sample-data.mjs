/**
 * Tables of a bilingual trading company, made from a fixed seed: the same rows on every machine and in every run.
 * At `scale` 1 there are some five thousand rows. Orders grow in proportion to it, master data with its square root.
 */

const seed = 20_241_231;
const days = 731; // 2024-01-01 to 2025-12-31
const firstDay = Date.UTC(2024, 0, 1);

const regions = ['华东', '华南', '华北', '西南', 'Europe', 'North America', 'South-East Asia'];

const suppliers = [
  ['华南电子有限公司', '中国'], ['江南家居集团', '中国'], ['北方食品股份', '中国'], ['云岭茶业', '中国'], ['海岸服饰', '中国'],
  ['文华文具厂', '中国'], ['东方精密仪器', '中国'], ['天府调味品', '中国'], ['Nordic Timber AB', 'Sweden'], ['Alpine Dairy GmbH', 'Germany'],
  ['Pacific Textiles', 'Vietnam'], ['Lone Star Foods', 'United States'], ['Maple Office Supply', 'Canada'], ['Siam Ceramics', 'Thailand'],
  ['Lyon Couture', 'France'],
]; // prettier-ignore

/** Category, supplier (1-based), price in CNY, names. */
const assortment = [
  ['电子', 1, 299, ['蓝牙耳机', '无线鼠标', '机械键盘', '移动电源', '智能手环', 'USB-C Hub', 'Webcam HD']],
  ['电子', 7, 899, ['激光测距仪', '数字万用表', '红外测温仪', 'Oscilloscope Mini']],
  ['家居', 2, 159, ['竹制餐桌', '棉麻窗帘', '陶瓷花瓶', '落地灯', '收纳柜']],
  ['家居', 9, 459, ['Oak Chair', 'Pine Bookshelf', 'Birch Desk']],
  ['家居', 14, 89, ['Celadon Bowl', 'Tea Set']],
  ['食品', 3, 39, ['东北大米', '有机大豆', '玉米面', '松子礼盒']],
  ['食品', 4, 128, ['普洱茶饼', '滇红', '茉莉花茶', '古树生茶']],
  ['食品', 8, 25, ['郫县豆瓣', '花椒油', '泡菜坛']],
  ['食品', 10, 68, ['Mountain Cheese', 'Alpine Butter']],
  ['食品', 12, 55, ['Smoked Brisket', 'Pecan Pie Mix', 'Barbecue Sauce']],
  ['服装', 5, 199, ['羊毛围巾', '纯棉衬衫', '防风夹克', '亚麻长裤']],
  ['服装', 11, 149, ['Silk Scarf', 'Denim Jacket', 'Cotton T-Shirt']],
  ['服装', 15, 699, ['Evening Dress', 'Linen Suit']],
  ['文具', 6, 15, ['钢笔', '宣纸', '毛笔套装', '笔记本', '印泥']],
  ['文具', 13, 45, ['Desk Planner', 'Fountain Pen', 'Maple Ruler']],
];

const places = [
  ['上海', '杭州', '南京', '苏州', '宁波'], ['广州', '深圳', '厦门', '珠海'], ['北京', '天津', '青岛', '石家庄'], ['成都', '重庆', '昆明', '贵阳'],
  ['Berlin', 'Paris', 'Madrid', 'Oslo'], ['Boston', 'Seattle', 'Toronto', 'Denver'], ['Singapore', 'Bangkok', 'Hanoi', 'Manila'],
]; // prettier-ignore
const countries = ['中国', '中国', '中国', '中国', 'Europe', 'North America', 'South-East Asia'];
const trades = [
  ['贸易公司', '百货', '超市', '商行', '科技公司', '连锁店'],
  ['Trading', 'Market', 'Stores', 'Wholesale', 'Imports', 'Retail'],
];
const statuses = ['paid', 'paid', 'paid', 'paid', 'shipped', 'shipped', 'cancelled'];

/** mulberry32: a small generator whose whole state is one 32-bit number. */
function randomFrom(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function* customerRows(count) {
  const random = randomFrom(seed);
  for (let id = 1; id <= count; id++) {
    const region = (id - 1) % regions.length;
    const chinese = region < 4;
    const cities = places[region];
    const city = cities[Math.floor(random() * cities.length)];
    const trade = trades[chinese ? 0 : 1][Math.floor(random() * 6)];
    yield [`C${String(id).padStart(5, '0')}`, chinese ? `${city}${trade}${id}` : `${city} ${trade} ${id}`, countries[region], region + 1];
  }
}

function* productRows() {
  let id = 1;
  for (const [category, supplier, price, names] of assortment) {
    for (const [index, name] of names.entries()) yield [id++, name, category, (price * (1 + index / 10)).toFixed(2), supplier];
  }
}

/** Yields orders, or with `lines` their order lines. Both calls draw the same random numbers, so they agree although nothing is kept. */
function* orderStream(orders, customers, lines) {
  const random = randomFrom(seed + 1);
  const products = [...productRows()];
  for (let id = 1; id <= orders; id++) {
    // The orders per day grow until about November 2025 and then fall, so that periods differ.
    const day = Math.floor(days * Math.sqrt(random() * 0.85 + 0.15 * random()));
    const date = new Date(firstDay + Math.min(day, days - 1) * 86_400_000).toISOString().slice(0, 10);
    const customer = `C${String(1 + Math.floor(customers * random() ** 1.5)).padStart(5, '0')}`;
    const status = statuses[Math.floor(random() * statuses.length)];
    if (!lines) yield [id, customer, date, status];
    const count = 1 + Math.floor(random() * 5);
    const first = Math.floor(random() * products.length);
    for (let line = 1; line <= count; line++) {
      const [product, , , price] = products[(first + line * 7) % products.length];
      const quantity = 1 + Math.floor(random() * 20);
      const discount = random() < 0.2 ? '0.1' : '0';
      if (lines) yield [id, line, product, quantity, price, discount];
    }
  }
}

/**
 * The tables in upload order, with columns, rows, and the types that must not be inferred. The prefix `demo_` avoids the names of a user's
 * own tables.
 */
export function sampleTables(scale = 1) {
  const orders = Math.round(1000 * scale);
  const customers = Math.round(120 * Math.sqrt(scale));
  return [
    { name: 'demo_regions', columns: ['region_id', 'region_name'], rows: () => regions.map((name, index) => [index + 1, name]) },
    { name: 'demo_customers', columns: ['customer_id', 'company_name', 'country', 'region_id'], rows: () => customerRows(customers) },
    {
      name: 'demo_suppliers',
      columns: ['supplier_id', 'company_name', 'country'],
      rows: () => suppliers.map((row, index) => [index + 1, ...row]),
    },
    { name: 'demo_products', columns: ['product_id', 'product_name', 'category', 'unit_price', 'supplier_id'], rows: () => productRows() },
    {
      name: 'demo_orders',
      columns: ['order_id', 'customer_id', 'order_date', 'status'],
      rows: () => orderStream(orders, customers, false),
    },
    {
      name: 'demo_order_lines',
      columns: ['order_id', 'line_no', 'product_id', 'quantity', 'unit_price', 'discount'],
      rows: () => orderStream(orders, customers, true),
    },
  ];
}

/** Yields a table as CSV in chunks of some 64 kB, so that millions of rows are never in memory at once. */
export function* toCsv({ columns, rows }) {
  let chunk = `${columns.join(',')}\n`;
  for (const row of rows()) {
    chunk += `${row.map(quote).join(',')}\n`;
    if (chunk.length > 65_536) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function quote(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
