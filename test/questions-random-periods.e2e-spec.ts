import fc from 'fast-check';
import { type Period } from '../src/questions/linking/meaning.js';
import { type GraphPlan } from '../src/questions/planning/question-plan.js';
import { graphInMemory, type GivenNode, plannedRows } from './support/planned-rows.js';
import { edge, label, nodesOf, planOver } from './support/question-world.js';

const schema = {
  labels: [
    label('酒店', 'Hotel', '酒店编号', [['酒店编号', 'int', 'hotel_id'], ['建成年份', 'int', 'built_year']]),
    label('订单', 'Booking', '订单号', [['订单号', 'int', 'booking_id'], ['入住日期', 'date', 'check_in_date'], ['下单时间', 'datetime', 'booked_at'], ['金额', 'int', 'amount']]),
    label('员工', 'Employee', '员工编号', [['员工编号', 'int', 'employee_id'], ['入职日期', 'date', 'hire_date'], ['出生日期', 'date', 'birth_date']]),
  ],
  edges: [edge('预订', 'RESERVES', '订单', '酒店')],
  toOne: { outgoing: ['预订'], incoming: [] },
}; // prettier-ignore
const hotels = ['Hilton', '海湾酒店'];

type Booking = { hotel: number; checkIn: string | null; bookedAt: string | null; amount: number | null };
interface World {
  bookings: Booking[];
  hired: string[];
  built: number[];
}

// Dates around the turn of a year, when one week belongs to two years, and around other ends of periods.
const date = fc
  .tuple(fc.constantFrom('2023-12-25', '2024-02-28', '2024-09-29', '2024-12-28'), fc.nat(12))
  .map(([from, days]) => new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10));
const world: fc.Arbitrary<World> = fc.record({
  bookings: fc.array(
    fc.record({
      hotel: fc.nat(1),
      checkIn: fc.option(date),
      bookedAt: fc.option(date.chain(day => fc.constantFrom(`${day}T00:00:00Z`, `${day}T23:59:59Z`))),
      amount: fc.option(fc.integer({ min: 1, max: 9 })),
    }),
    { maxLength: 12 },
  ),
  hired: fc.array(date, { maxLength: 8 }),
  built: fc.array(fc.constantFrom(1987, 1999, 2004), { minLength: 2, maxLength: 2 }),
});

const english = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const chinese = ['周一', '周二', '周三', '周四', '周五', '周六', '周日'];

function periodOf(day: string, period: Period, weekdays = english): string {
  const weekday = (new Date(`${day.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7;
  if (period === 'weekday') return weekdays[weekday]!;
  if (period === 'week') return new Date(Date.parse(day.slice(0, 10)) - weekday * 86_400_000).toISOString().slice(0, 10);
  if (period === 'quarter') return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
  return day.slice(0, { year: 4, month: 7, day: 10 }[period]);
}

/** Sums the values of the rows by period. */
function byPeriod(rows: readonly (readonly [string | null, number | null])[], period: Period, weekdays?: string[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [day, value] of rows) {
    if (day === null || value === null) continue;
    const key = periodOf(day, period, weekdays);
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

/**
 * Questions with their expected numbers by period. With `ranks`, the answer has all periods that share the highest or the lowest number.
 */
function templates({ bookings, hired, built }: World): { text: string; of: Map<string, number>; ranks?: 'most' | 'fewest' }[] {
  const checkIns = bookings.map(({ checkIn }) => [checkIn, 1] as const);
  const bookedAts = bookings.map(({ bookedAt }) => [bookedAt, 1] as const);
  const in2024 = (day: string | null): boolean => day?.startsWith('2024') ?? false;
  const hires = hired.map(day => [day, 1] as const);
  const amounts = bookings.map(({ checkIn, amount }) => [checkIn, amount] as const);
  const ofHilton = bookings.filter(({ hotel }) => hotel === 0).map(({ checkIn }) => [checkIn, 1] as const);
  const years = new Map(built.map(year => [String(year), built.filter(other => other === year).length]));
  return [
    { text: '哪个月入住的订单最多', of: byPeriod(checkIns, 'month'), ranks: 'most' },
    { text: '哪个月入住的订单最少', of: byPeriod(checkIns, 'month'), ranks: 'fewest' },
    { text: '2024年哪个月入住的订单最多', of: byPeriod(checkIns.filter(([day]) => in2024(day)), 'month'), ranks: 'most' }, // prettier-ignore
    { text: '哪个季度入住的订单最多', of: byPeriod(checkIns, 'quarter'), ranks: 'most' },
    { text: '哪一周入住的订单最多', of: byPeriod(checkIns, 'week'), ranks: 'most' },
    { text: '星期几入住的订单最多', of: byPeriod(checkIns, 'weekday', chinese), ranks: 'most' },
    { text: '哪个月入职的员工最多', of: byPeriod(hires, 'month'), ranks: 'most' },
    { text: 'Which month had the most hires?', of: byPeriod(hires, 'month'), ranks: 'most' },
    { text: 'In which year were the most employees hired?', of: byPeriod(hires, 'year'), ranks: 'most' },
    { text: 'Which day had the most bookings booked?', of: byPeriod(bookedAts, 'day'), ranks: 'most' },
    { text: '每个月下单的订单数', of: byPeriod(bookedAts, 'month') },
    { text: '2024年每个月下单的订单数', of: byPeriod(bookedAts.filter(([day]) => in2024(day)), 'month') }, // prettier-ignore
    { text: '每周下单的订单数', of: byPeriod(bookedAts, 'week') },
    { text: '每年入职的员工数', of: byPeriod(hires, 'year') },
    { text: 'employees hired per quarter', of: byPeriod(hires, 'quarter') },
    { text: 'employees hired per day of the week', of: byPeriod(hires, 'weekday') },
    { text: '每月入住的订单总金额', of: byPeriod(amounts, 'month') },
    { text: 'Which quarter had the highest total amount by check in date?', of: byPeriod(amounts, 'quarter'), ranks: 'most' },
    { text: 'Hilton每个月入住的订单数', of: byPeriod(ofHilton, 'month') },
    { text: 'hotels built per year', of: years },
    { text: '哪一年建成的酒店最多', of: years, ranks: 'most' },
  ];
}

function nodesIn({ bookings, hired, built }: World): GivenNode[] {
  return [
    ...built.map((year, i) => ({ label: '酒店', properties: { 酒店编号: i, 建成年份: year } })),
    ...bookings.map(({ checkIn, bookedAt, amount }, i) => ({ label: '订单', properties: { 订单号: i, 入住日期: checkIn, 下单时间: bookedAt, 金额: amount } })), // prettier-ignore
    ...hired.map((day, i) => ({ label: '员工', properties: { 员工编号: i, 入职日期: day, 出生日期: '1980-01-01' } })),
  ].map((node, id) => ({ id, ...node }));
}

describe('questions by periods of random worlds', () => {
  it('are answered as counting by hand does', async () => {
    const nodes = nodesOf(hotels.map(name => [name, '酒店']), '酒店编号'); // prettier-ignore
    const plans = new Map<string, GraphPlan>();
    for (const { text } of templates({ bookings: [], hired: [], built: [] })) {
      const plan = await planOver(text, { schema, nodes, values: [] });
      if (typeof plan === 'string') throw new Error(`${text}: ${plan}`);
      plans.set(text, plan);
    }
    fc.assert(
      fc.property(world, given => {
        const graph = graphInMemory(schema, nodesIn(given), given.bookings.map(({ hotel }, i) => ['预订', hotels.length + i, hotel])); // prettier-ignore
        for (const { text, of, ranks } of templates(given)) {
          const rows = plannedRows(plans.get(text)!, graph).map(([key, value]): [string, number] => [
            typeof key === 'bigint' ? `${key}` : (key as string),
            Number(value),
          ]);
          const sorted = [...of].sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1));
          const best = ranks === 'most' ? Math.max(...of.values()) : Math.min(...of.values());
          const found = ranks ? rows.filter(([, value]) => value === rows[0]?.[1]) : rows;
          expect({ text, rows: found }).toEqual({ text, rows: ranks ? sorted.filter(([, value]) => value === best) : sorted });
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** The position of a weekday in the week. All other periods get -1, and are sorted as text. */
function order(period: string): number {
  return Math.max(english.indexOf(period), chinese.indexOf(period));
}
