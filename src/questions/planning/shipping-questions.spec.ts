import { aWorld, chineseLabel, edge } from '../../../test/support/question-world.js';

/** Labels with a relation to themselves, several relations between two labels, booleans whose names begin with 有 and 在, and years beside dates. */
const { ask, plan } = aWorld({
  labels: [
    chineseLabel('港口', ['Port'], [['国家', 'string', 'country'], ['有冷库', 'boolean', 'cold_storage', 'cold storage'], ['年吞吐量', 'int', 'annual_teu', 'throughput']]),
    chineseLabel('船舶', ['Ship', '船', '轮船'], [['船型', 'string', 'ship_type'], ['建造年份', 'int', 'built_year'], ['载箱量', 'int', 'capacity_teu', 'capacity'], ['在役', 'boolean', 'in_service', 'in service'], ['上次检验日期', 'date', 'last_inspection'], ['船旗国', 'string', 'flag']]),
    chineseLabel('船员', ['Crew member'], [['职务', 'string', 'rank'], ['性别', 'string', 'gender'], ['工资', 'int', 'salary'], ['出生日期', 'date', 'birth_date'], ['入职日期', 'date', 'hired_on'], ['在职', 'boolean', 'active'], ['邮箱', 'string', 'email']]),
    chineseLabel('客户', ['Customer'], [['行业', 'string', 'industry'], ['VIP', 'boolean', 'vip']]),
    chineseLabel('航次', ['Voyage'], [['航程', 'int', 'distance'], ['延误', 'boolean', 'delayed'], ['状态', 'string', 'status']]),
    chineseLabel('货运单', ['Shipment', '运单'], [['货物', 'string', 'goods'], ['危险品', 'boolean', 'dangerous']]),
  ],
  edges: [
    edge('母港', ['home port'], '船舶', '港口'),
    edge('上级', ['manager', 'reports to', '汇报给'], '船员', '船员'),
    edge('母公司', ['parent company', 'parent'], '客户', '客户'),
    edge('执行', ['sails', 'sailed'], '船舶', '航次'),
    edge('目的港', ['arrives at', 'destination'], '航次', '港口'),
    edge('出发港', ['departs from', 'origin'], '航次', '港口'),
    edge('指挥', ['captains', 'commanded'], '船员', '航次'),
    edge('发货', ['shipped', 'sent'], '客户', '货运单'),
    edge('收货', ['receives', 'received'], '客户', '货运单'),
  ],
  toOne: { outgoing: ['母港', '上级', '母公司', '目的港', '出发港'], incoming: ['执行', '指挥', '发货', '收货'] },
  names: { 港口: ['上海港'], 船舶: ['Blue Whale'], 船员: ['周静', 'Lars Jensen'], 客户: ['海纳集团', 'Tiger Toys', 'Union Steel'] },
  values: {
    港口: { 国家: ['中国', '德国'] },
    船舶: { 船旗国: ['中国', '挪威'], 船型: ['集装箱船', '油轮'] },
    船员: { 职务: ['船长', '水手', '大副'], 性别: ['男', '女'] },
    客户: { 行业: ['机电'] },
    货运单: { 货物: ['coffee'] },
  },
}); // prettier-ignore

async function parametersOf(question: string): Promise<unknown[]> {
  const found = await plan(question);
  return typeof found === 'string' ? [found] : Object.values(found.parameters);
}

const ship = 'MATCH (t:船舶)';
const crew = 'MATCH (t:船员)';

describe('questions about a shipping company', () => {
  it.each([
    ['哪些在职船员的上级是周静？', `${crew}-[r1:上级]->(n1:船员) WHERE n1.编号 = $p1 AND t <> n1 AND t.在职 = $p2 RETURN DISTINCT t`],
    [
      '有多少在职船员的上级是周静？',
      `${crew}-[r1:上级]->(n1:船员) WHERE n1.编号 = $p1 AND t <> n1 AND t.在职 = $p2 RETURN count(DISTINCT t)`,
    ],
    ['哪些船长的上级是周静？', `${crew}-[r1:上级]->(n1:船员) WHERE n1.编号 = $p1 AND t <> n1 AND t.职务 = $p2 RETURN DISTINCT t`],
    [
      '哪些在役油轮的母港是上海港？',
      `${ship}-[r1:母港]->(n1:港口) WHERE n1.编号 = $p1 AND t.在役 = $p2 AND t.船型 = $p3 RETURN DISTINCT t`,
    ],
    ['哪些在役船舶的母港是上海港？', `${ship}-[r1:母港]->(n1:港口) WHERE n1.编号 = $p1 AND t.在役 = $p2 RETURN DISTINCT t`],
    ['在役船舶中哪些的母港是上海港？', `${ship}-[r1:母港]->(n1:港口) WHERE n1.编号 = $p1 AND t.在役 = $p2 RETURN DISTINCT t`],
    ['哪些在职船员指挥过延误航次？', `${crew}-[r1:指挥]->(n1:航次) WHERE n1.延误 = $p1 AND t.在职 = $p2 RETURN DISTINCT t`],
    ['有多少集装箱船？', `${ship} WHERE t.船型 = $p1 RETURN count(DISTINCT t)`],
    ['哪些船长是女的？', `${crew} WHERE t.职务 = $p1 AND t.性别 = $p2 RETURN DISTINCT t`],
    ['哪些水手在职？', `${crew} WHERE t.职务 = $p1 AND t.在职 = $p2 RETURN DISTINCT t`],
    ['多少油轮执行过航次？', `${ship}-[r1:执行]->(n1:航次) WHERE t.船型 = $p1 RETURN count(DISTINCT t)`],
    ['女水手的平均工资是多少？', `${crew} WHERE t.性别 = $p1 AND t.职务 = $p2 RETURN avg(t.工资)`],
    ['工资超过8000的水手有多少？', `${crew} WHERE t.职务 = $p1 AND t.工资 > $p2 RETURN count(DISTINCT t)`],
    ['女船员有多少？', `${crew} WHERE t.性别 = $p1 RETURN count(DISTINCT t)`],
    ['Tiger Toys收货的危险品有多少？', `(t:货运单)<-[r1:收货]-(n1:客户) WHERE n1.编号 = $p1 AND t.危险品 = $p2 RETURN count(DISTINCT t)`],
  ])('%s: asks for what stands after the question word, whatever limits it', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['建造年份在2010年之后的船有哪些？', `${ship} WHERE t.建造年份 >= $p1 RETURN`, 2011],
    ['Which ships were built in 2014?', `${ship} WHERE t.建造年份 >= $p1 AND t.建造年份 < $p2 RETURN`, 2014, 2015],
    ['建造年份为2014的船有哪些？', `${ship} WHERE t.建造年份 = $p1 RETURN`, 2014],
    ['1980年出生的船员有哪些？', `${crew} WHERE t.出生日期 >= $p1 AND t.出生日期 < $p2 RETURN`, '1980-01-01', '1981-01-01'],
    ['crew members hired after 2020', `${crew} WHERE t.入职日期 >= $p1 RETURN`, '2021-01-01'],
    ['载箱量超过1.1万的船', `${ship} WHERE t.载箱量 > $p1 RETURN`, 11_000],
    ['Which ships have a capacity of 19600?', `${ship} WHERE t.载箱量 = $p1 RETURN`, 19_600],
  ])('%s: limits a year, a date by what happened, or a number', async (question, cypher, ...parameters) => {
    expect(await ask(question)).toBe(`${cypher} DISTINCT t ORDER BY t.名称`);
    expect(await parametersOf(question)).toEqual(parameters);
  });

  it.each([
    ['What is the oldest ship?', '建造年份 ASC'],
    ['What is the newest ship?', '建造年份 DESC'],
    ['Who is the youngest crew member?', '出生日期 DESC'],
    ['上次检验日期最新的船', '上次检验日期 DESC'],
  ])('%s: tells the age by the making or the birth', async (question, order) => {
    expect(await ask(question)).toContain(`ORDER BY ${order}`);
  });

  const exists = (way: string, condition = ''): string => `NOT EXISTS { MATCH ${way}${condition} }`;
  it.each([
    ['Which customers have not received any dangerous shipments?', exists('(t:客户)-[:收货]->(n1:货运单)', ' WHERE n1.危险品 = $p1'), true],
    ['哪些船没有执行过延误的航次？', exists('(t:船舶)-[:执行]->(n1:航次)', ' WHERE n1.延误 = $p1'), true],
    ['哪些船员没有上级？', exists('(t:船员)-[:上级]->(n1:船员)')],
    ['没有邮箱的船员是谁？', `${crew} WHERE t.邮箱 IS NULL RETURN DISTINCT t ORDER BY`],
    ['没有邮箱的船员有几个？', `${crew} WHERE t.邮箱 IS NULL`],
    ['Which crew members have an email?', `${crew} WHERE t.邮箱 IS NOT NULL`],
    ['哪些船员没有上级并且是女的？', `t.性别 = $p1 AND ${exists('(t:船员)-[:上级]->(n1:船员)')}`, '女'],
    ['哪些油轮没有母港？', exists('(t:船舶)-[:母港]->(n1:港口)'), '油轮'],
    ['哪些港口没有冷库？', 'MATCH (t:港口) WHERE t.有冷库 = $p1', false],
    ['不在职的船员有哪些？', `${crew} WHERE t.在职 = $p1`, false],
  ])('%s: denies what it says', async (question, cypher, ...parameters) => {
    expect(await ask(question)).toMatch(/^MATCH \(t:\S+\) WHERE [^M]*(?:EXISTS \{[^}]*\} )?RETURN/);
    expect(await ask(question)).toContain(cypher);
    expect(await parametersOf(question)).toEqual(parameters);
  });

  it.each([
    ['周静是谁的上级？', `${crew}-[r1:上级]->(n1:船员) WHERE n1.编号 = $p1`],
    ['周静的上级是谁？', `${crew}<-[r1:上级]-(n1:船员) WHERE n1.编号 = $p1`],
    ['Which customers have 海纳集团 as parent?', 'MATCH (t:客户)-[r1:母公司]->(n1:客户) WHERE n1.编号 = $p1'],
    ['What is the parent company of Tiger Toys?', 'MATCH (t:客户)<-[r1:母公司]-(n1:客户) WHERE n1.编号 = $p1'],
    ['哪些客户有母公司？', 'MATCH (t:客户)-[r1:母公司]->(n1:客户) RETURN'],
  ])('%s: follows a relation of a label with itself the right way', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['How many ports are there in 中国?', 'MATCH (t:港口) WHERE t.国家 = $p1 RETURN count(DISTINCT t)'],
    ['Who commanded the most voyages?', `${crew}-[r1:指挥]->(n1:航次) RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC`],
    ['Which captains have an email?', `${crew}-[r1:指挥]->(n1:航次) WHERE t.邮箱 IS NOT NULL`],
  ])('%s: tells a label from a relation that has its word', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['载箱量最大的在役船的母港是哪个？', /asked of the first/],
    ['工资最高的大副的上级是谁？', /asked of the first/],
    ['航程最大的航次由谁指挥？', /asked of the first/],
    ['周静的上级的上级是谁？', /said 2 times/],
    ['Number of ships by home port', /"by" cannot be answered/],
    ['挪威有几个港口？', /No "港口" has "挪威" as its 国家/],
    ['Which active captains are there?', /It is not clear who/],
    ['Which customers sent coffee to Union Steel?', /several ways/],
    ['海纳集团有哪些子公司？', /unknown: 子公司/],
    ['哪些船去过上海港？', /unknown: 去过/],
    ['哪些港口没冷库？', /unknown/],
    ['女港口有哪些？', /unknown: 女港口/],
    ['航程超过5千米的航次', /does not tell its unit/],
    ['建造年份是2010前的船', /unknown/],
    ['Which ships have a capacity of 4+?', /unknown/],
    ['Which ships have a capacity of 18 and up?', /unknown/],
    ['capacity of 5 ships in 中国', /unknown/],
    ['列出所有上级', /say which/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });

  const lowest = 'MATCH (x:船舶) WITH min(x.载箱量) AS best MATCH (t:港口)<-[r1:母港]-(n1:船舶) WHERE n1.载箱量 = best RETURN DISTINCT t';
  it.each([
    ['What is the home port of the ship with the lowest capacity?', lowest],
    ['The home port of the ship with the lowest capacity', lowest],
    [
      'Which captain commanded the voyage with the highest distance?',
      'MATCH (x:航次) WITH max(x.航程) AS best MATCH (t:船员)-[r1:指挥]->(n1:航次) WHERE n1.航程 = best RETURN DISTINCT t',
    ],
    ['Which captains are active?', `${crew}-[r1:指挥]->(n1:航次) WHERE t.在职 = $p1 RETURN DISTINCT t`],
    ['captains of voyages', `${crew}-[r1:指挥]->(n1:航次) RETURN DISTINCT t`],
    ['Which captain has the most voyages?', `${crew}-[r1:指挥]->(n1:航次) RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC`],
    ['Which home ports are there?', 'MATCH (t:港口)<-[r1:母港]-(n1:船舶) RETURN DISTINCT t'],
  ])('%s: asks for those at the end of the relation', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it('takes one of several that are asked apart', async () => {
    expect(await plan('Which of the ships with home port in 德国 has the highest capacity?')).toMatchObject({ top: 1 });
  });
});
