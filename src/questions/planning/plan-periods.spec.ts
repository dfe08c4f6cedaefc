import { aWorld, chineseLabel, edge } from '../../../test/support/question-world.js';
import { wordGraphAnswer } from '../wording/word-answer.js';

/** Labels with one date, with several, with a year only and with none. The relation 入住 has the name of the event of a date, 入住日期. */
const { ask, plan } = aWorld({
  labels: [
    chineseLabel('酒店', ['Hotel'], [['城市', 'string', 'city']]),
    chineseLabel('员工', ['Employee'], [['出生日期', 'date', 'birth_date'], ['入职日期', 'date', 'hire_date'], ['工资', 'int', 'salary']]),
    chineseLabel('订单', ['Booking'], [['入住日期', 'date', 'check_in_date'], ['下单时间', 'datetime', 'booked_at'], ['总金额', 'decimal(12,2)', 'total_amount', '金额', 'amount'], ['状态', 'string', 'status']]),
    chineseLabel('理赔', ['Claim'], [['报案日期', 'date', 'reported_date'], ['赔付金额', 'decimal(12,2)', 'paid_amount', 'payout']]),
    chineseLabel('船舶', ['Ship'], [['建造年份', 'int', 'built_year']]),
    chineseLabel('客户', ['Customer'], []),
  ],
  edges: [
    edge('下单', ['booked'], '客户', '订单'),
    edge('入住', ['stays at'], '订单', '酒店'),
    edge('任职', ['works at'], '员工', '酒店'),
    edge('审核', ['reviewed'], '员工', '理赔'),
  ],
  toOne: { outgoing: ['入住', '任职'], incoming: ['下单', '审核'] },
  names: { 酒店: ['Hilton'], 员工: ['Ann Lee'] },
  values: { 酒店: { 城市: ['上海'] }, 订单: { 状态: ['已取消'] } },
}); // prettier-ignore

const byMonth = (date: string): string => `WITH left(toString(t.${date}), 7) AS period, count(t) AS n`;

describe('questions by periods', () => {
  it.each([
    ['哪个月入住的订单最多', `MATCH (t:订单) WHERE t.入住日期 IS NOT NULL ${byMonth('入住日期')} RETURN period AS 月份, n ORDER BY n DESC, period`],
    ['2026年哪个月入住的订单最多', `t.入住日期 >= $p1 AND t.入住日期 < $p2 AND t.入住日期 IS NOT NULL ${byMonth('入住日期')}`],
    ['哪个月份入住的订单最少', `${byMonth('入住日期')} RETURN period AS 月份, n ORDER BY n ASC, period`],
    ['哪个月入职的员工最多', byMonth('入职日期')],
    ['Which month had the most hires?', `MATCH (t:员工) WHERE t.入职日期 IS NOT NULL ${byMonth('入职日期')} RETURN period AS month, n`],
    ['In which month were the most employees hired?', byMonth('入职日期')],
    ['哪个月入住最多', byMonth('入住日期')],
    ['the month with the most bookings', byMonth('下单时间')],
    ['订单最多的是哪个月', byMonth('下单时间')],
    ['哪个季度入住的订单最多', "WITH left(toString(t.入住日期), 4) + '-Q' + toString(t.入住日期.quarter) AS period, count(t) AS n"],
    ['哪一周入住的订单最多', "WITH toString(date.truncate('week', t.入住日期)) AS period, count(t) AS n"],
    ['哪一天入住的订单最多', 'WITH left(toString(t.入住日期), 10) AS period, count(t) AS n'],
    ['星期几入住的订单最多', "WITH t.入住日期.weekDay AS period, count(t) AS n RETURN ['周一', "],
    ['Which year had the most bookings?', 'WITH t.下单时间.year AS period, count(t) AS n RETURN period AS year, n ORDER BY n DESC'],
    ['哪一年建造的船舶最多', 'WITH t.建造年份 AS period, count(t) AS n RETURN period AS 年份, n ORDER BY n DESC'],
    ['哪个月入住上海酒店的订单最多', `-[r1:入住]->(n1:酒店) WHERE n1.城市 = $p1 AND t.入住日期 IS NOT NULL WITH DISTINCT t ${byMonth('入住日期')}`],
    ['Which month did Hilton have the most bookings?', `WHERE n1.编号 = $p1 AND t.下单时间 IS NOT NULL WITH DISTINCT t ${byMonth('下单时间')}`],
    ['哪个月的总金额最高', 'sum(t.总金额) AS 总金额 RETURN period AS 月份, 总金额 ORDER BY 总金额 DESC, period'],
  ])('%s: ranks the periods', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  }); // prettier-ignore

  it.each([
    ['哪个月入住的订单最多', 1],
    ['入住订单最多的3个月', 3],
    ['top 3 months by number of bookings', 3],
    ['哪些年入职的员工最多', 5],
  ])('%s: shows as many as are asked for', async (question, top) => {
    expect(await plan(question)).toMatchObject({ top });
  });

  it.each([
    ['每个月的订单数', `${byMonth('下单时间')} RETURN period AS 月份, n ORDER BY period`],
    ['2026年每个月的订单数', `t.下单时间 >= $p1 AND t.下单时间 < $p2 AND t.下单时间 IS NOT NULL ${byMonth('下单时间')}`],
    ['每年入职的员工数', 'WITH t.入职日期.year AS period, count(t) AS n RETURN period AS 年份, n ORDER BY period'],
    ['number of bookings per month', byMonth('下单时间')],
    ['bookings by year', 'WITH t.下单时间.year AS period'],
    ['claims per month in 2024', `WHERE t.报案日期 >= $p1 AND t.报案日期 < $p2 AND t.报案日期 IS NOT NULL ${byMonth('报案日期')}`],
    ['How many bookings did Hilton have each month?', byMonth('下单时间')],
    ['按月统计订单', byMonth('下单时间')],
    ['bookings grouped by month', byMonth('下单时间')],
    ['每个月的已取消订单数', 'WHERE t.状态 = $p1 AND t.下单时间 IS NOT NULL'],
    ['金额超过100的订单每个月有多少', 'WHERE t.总金额 > $p1 AND t.下单时间 IS NOT NULL'],
    ['ships built per year', 'WITH t.建造年份 AS period, count(t) AS n'],
    ['bookings per day of the week', "RETURN ['Monday', 'Tuesday', "],
  ])('%s: counts in order of time', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['每月的订单总金额', 'WHERE t.下单时间 IS NOT NULL AND t.总金额 IS NOT NULL WITH left(toString(t.下单时间), 7) AS period, sum(t.总金额) AS 总金额'],
    ['每月入住的订单总金额', 'left(toString(t.入住日期), 7) AS period, sum(t.总金额)'],
    ['total amount per quarter', 'sum(t.总金额) AS `total amount` RETURN period AS quarter, `total amount` ORDER BY period'],
    ['每个季度的赔付金额合计', 'sum(t.赔付金额) AS 赔付金额合计'],
    ['What is the total amount per quarter?', 'sum(t.总金额)'],
    ['average payout by year', 'avg(t.赔付金额) AS `average payout`'],
  ])('%s: adds up what is in each period', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  }); // prettier-ignore

  it.each([
    ['每个月的订单数', [['2026-01', 7], ['2026-08', 12]], '按月份统计的订单数：2026-01（7）、2026-08（12）。'],
    ['2026年哪个月入住的订单最多', [['2026-08', 12]], '2026年中，订单数最高的月份：2026-08（12）。'],
    ['Which year had the most bookings?', [[2026, 1200]], 'Year with the highest number of bookings: 2026 (1,200).'],
    ['claims per quarter in 2024', [['2024-Q1', 7]], 'Number of claims by quarter in 2024: 2024-Q1 (7).'],
    ['哪一周入住的订单最多', [['2026-08-03', 7]], '订单数最高的周（周一日期）：2026-08-03（7）。'],
  ])('%s: is answered with its periods', async (question, rows, sentence) => {
    const found = await plan(question);
    if (typeof found === 'string') throw new Error(found);
    expect(wordGraphAnswer(found.shape, rows, /[a-z]/.test(question) ? 'en' : 'zh')).toBe(sentence);
  }); // prettier-ignore

  it('says which date it took, and what a ranking of the fewest leaves out', async () => {
    expect(await plan('每个月的订单数')).toMatchObject({ notes: [{ zh: '月份按“下单时间”计' }] });
    expect(await plan('哪个月入职的员工最少')).toMatchObject({ notes: [{ zh: '没有“员工”的月份未计入' }] });
    expect(await plan('哪个月入职的员工最多')).toMatchObject({ notes: [] });
  });

  it.each([
    ['哪一年的员工最多', /may be of several dates/],
    ['claims reviewed per month', /by which date/],
    ['哪个月的客户最多', /has no date/],
    ['ships built per month', /only a year/],
    ['哪个月入职的员工的订单最多', /by the date of "订单" or of "员工"/],
    ['Ann Lee每个月审核的理赔数', /by the date of "理赔" or of "员工"/],
    ['customers with bookings every month', /by the date of "customers" or of "bookings"/],
    ['每个月没有入住的订单数', /has no date/],
    ['哪个月入职的员工工资最高', /total or the average/],
    ['每月的订单金额', /total or the average/],
    ['平均每月总金额', /total or the average/],
    ['average number of bookings per month', /what is averaged/],
    ['哪个月订单最多的客户', /not clear what is counted/],
    ['Which year did the customer with the most bookings book?', /not clear what is counted/],
    ['每月订单最多的客户', /can only be numbers/],
    ['每个月都有订单的客户', /about all of them/],
    ['各月入住的订单有哪些', /can only be numbers/],
    ['list the bookings by month', /can only be numbers/],
    ['每月的订单', /can only be numbers/],
    ['哪个月的订单数超过20', /can only be numbers/],
    ['Which hotel had the most bookings in which month?', /can only be numbers/],
    ['Which months had bookings?', /cannot be answered with a list/],
    ['what are the bookings by month', /can only be numbers/],
    ['bookings by month and hotel', /at once/],
    ['每个月每家酒店的订单数', /ask apart/],
    ['每年每个月的订单数', /ask apart/],
    ['Which year had the largest booking?', /It is not clear by what "the largest" ranks/],
  ])('%s: is refused and not answered by days', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
