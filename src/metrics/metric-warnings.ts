import { SchemaError } from '../common/errors/api-error.js';
import { type Bilingual, joined } from '../text/bilingual.js';
import { addDays, todayIn } from '../text/calendar.js';
import { withIsoYear } from '../text/iso-years.js';
import { inNormalForm } from '../text/normal-form.js';
import { type MetricWarning } from './execute.dto.js';
import { type Grain } from './formula/formula-tree.js';
import { type WarningCode } from './patterns/metric-pattern.js';
import { type CompiledMetrics } from './plan/compile-metric.js';
import { type Flag } from './plan/compile-result.js';
import { maxFilledPeriods } from './plan/compile-time.js';
import { monthsIn, shiftOf } from './plan/frames.js';

const sentences: Record<WarningCode, Bilingual> = {
  NEGATIVE_BASE: {
    zh: '有的基期为负，其变化率的正负号没有通常的含义',
    en: 'Some bases are negative, so the sign of their rate has not its usual meaning',
  },
  RATE_ABOVE_ONE: {
    zh: '有的转化率大于 1：同一基础事件可有多次转化',
    en: 'Some rates are above 1: one base event can have several conversions',
  },
  ROUNDED_QUANTILE: {
    zh: '有的中位数或分位数超过 15 位，只算到 15 位有效数字；DISC 给出精确的值',
    en: 'Some medians or percentiles have more than 15 digits and are computed to 15; DISC gives exact values',
  },
  SHARES_DO_NOT_SUM: {
    zh: '该指标不可相加（如去重计数、平均、比率），各占比之和不一定是 1',
    en: 'The metric does not add up, like distinct counts, means and ratios, so its shares need not sum to 1',
  },
};

type Result = Pick<CompiledMetrics, 'columns' | 'flags' | 'axes' | 'time' | 'filtersTime' | 'collated'>;

/**
 * The warnings about the rows of a result. In each row, the flags come after the values.
 * @param untimed the number of table rows without a time
 * @throws SchemaError if the rows lie so far apart that there are too many periods
 */
export function warningsOf(
  { columns, flags, axes, time, filtersTime, collated }: Result,
  rows: readonly unknown[][],
  untimed = 0,
): MetricWarning[] {
  const raised = flags.filter((_, index) => rows.some(row => row[columns.length + index] === true));
  if (raised.some(({ code }) => code === 'TOO_MANY_PERIODS'))
    throw new SchemaError([
      {
        loc: ['body', 'time'],
        type: 'too_many_periods',
        text: {
          zh: `数据的时间跨度超过 ${maxFilledPeriods} 个时段：请给出 time.from 与 time.to，或更粗的 grain`,
          en: `the rows span more than ${maxFilledPeriods} periods: give time.from and time.to, or a coarser grain`,
        },
      },
    ]);
  const names = columns.filter(column => column.role === 'value' && !column.compare).map(({ name }) => name);
  const warnings = raised.flatMap((flag): MetricWarning[] => {
    if (!('metric' in flag)) return [];
    const { zh, en } = sentences[flag.code];
    const of = names.length > 1 ? `${names[flag.metric]}: ` : '';
    return [{ code: flag.code, message: joined({ zh: of + zh, en: of + en }) }];
  });
  const warn = (code: string, text: Bilingual) => warnings.push({ code, message: joined(text) });
  if (time.grain !== null) judgePeriods(rows, time, warn);
  if (filtersTime)
    warn('FILTERED_WINDOW', {
      zh: '筛选用到时间列，窗口内与基期的行也因此去掉；要选择时段，请用 time.from 与 time.to',
      en: 'A filter goes by the time column and takes rows out of windows and bases too: choose periods by time.from and time.to',
    });
  const apart = columns.flatMap(({ name, role }, index) =>
    role === 'dimension' && collated.dimensions.includes(name) && hasAlike(rows, index) ? [name] : [],
  );
  if (collated.inJoin || collated.inDistinctCount || apart.length > 0) warn('SOURCE_COLLATION', collationText(collated, apart));
  if (untimed > 0)
    warn('ROWS_WITHOUT_TIME', {
      zh: `有 ${untimed} 行的时间列没有值（不计筛选），不属于任何时段，未计入`,
      en: `${untimed} ${untimed === 1 ? 'row has' : 'rows have'} no time (before filters), so no period contains them and they are left out`,
    });
  const changing = changingDimensions({ columns, flags, time }, rows);
  if (changing) warn('DIMENSION_CHANGES', changing);
  const { grain } = time;
  const shifts = axes.flatMap(({ shift }) => (shift ? [shiftOf(shift, grain)] : []));
  if (grain === null || shifts.length === 0) return warnings;

  const periods = [...new Set(rows.map(row => row[0]))].filter(period => typeof period === 'string');
  const today = todayIn(time.timezone);
  const months = [...new Set(shifts.flatMap(({ count, unit }) => (monthsIn[unit] === undefined ? [] : [count * monthsIn[unit]])))];
  const days = grain === 'day' || grain === 'hour' ? [...new Set(periods.map(period => period.slice(0, 10)))] : [];
  if (months.some(count => days.some(day => isClamped(day, count))))
    warn('CLAMPED_BASE', {
      zh: '较短的月没有对应的日，几天与同一天（该月最后一天）相比',
      en: 'A shorter month lacks the same day, so several days are compared with its last one',
    });
  if (grain === 'week' && axes.some(({ shift }) => shift?.unit === 'year') && periods.some(period => isWeek53(period, time.weekStart)))
    warn('NO_WEEK_53', {
      zh: '第 53 周在上一年没有对应的周，没有值',
      en: 'Week 53 has no counterpart a year before, so it has no value',
    });
  const isCut = time.to !== null && time.to <= addDays(today, 1);
  if (!isCut && !axes.some(({ shift }) => shift?.whole) && periods.some(period => isCurrent(period, grain, today)))
    warn('INCOMPLETE_PERIOD', {
      zh: '当前时段尚未结束，却与完整的基期相比；请给出 time.to，按相同天数比较',
      en: 'The current period is not over and is compared with a whole one: give time.to to compare as many days',
    });
  return warnings;
}

/**
 * Warns of rows without a period.
 * @throws SchemaError for a period before the year 1 or after 9999: periods are ordered and compared as texts with a year of four digits
 */
function judgePeriods(
  rows: readonly unknown[][],
  { grain, weekStart }: Result['time'],
  warn: (code: string, text: Bilingual) => void,
): void {
  const beyond = rows.find(([period]) => typeof period === 'string' && !/^(?!0000)\d{4}-[^ ]*$/.test(period))?.[0] as string | undefined;
  if (beyond !== undefined) {
    const period = withIsoYear(beyond);
    // The year 1 begins on a Monday.
    const first = grain === 'week' && weekStart === 'sunday' ? '0001-01-07' : '0001-01-01';
    throw new SchemaError([
      {
        loc: ['body', 'time'],
        type: 'period_out_of_range',
        text: {
          zh: `有的行所在的时段始于公元 1 年之前或 9999 年之后（${period}）：请给出 time.from（如 ${first}）与 time.to`,
          en: `some rows lie in a period that begins before the year 1 or after 9999 (${period}): give time.from, such as ${first}, and time.to`,
        },
      },
    ]);
  }
  if (rows.some(([period]) => period === null))
    warn('NO_PERIOD', {
      zh: '有的行没有时间，或时间为 infinity，不属于任何时段，其时段为 null',
      en: 'Some rows have no time, or the time infinity, and lie in no period: their period is null',
    });
}

/**
 * The warning about dimensions whose values change with the period, so that the rows of a period have no counterpart in the earlier period.
 * If the dimensions follow the time column, one such period is enough. Values of other dimensions may just be new or gone, so the warning
 * then needs at least two such periods, and at most a tenth as many periods with counterparts.
 */
function changingDimensions(
  { columns, flags, time }: Pick<Result, 'columns' | 'flags' | 'time'>,
  rows: readonly unknown[][],
): Bilingual | null {
  const periodsOf = (code: Flag['code']): Set<unknown> => {
    const at = flags.findIndex(flag => flag.code === code);
    const raised = at < 0 ? [] : rows.filter(row => row[columns.length + at] === true);
    return new Set(raised.map(row => (time.grain === null ? null : row[0])));
  };
  for (const flag of flags) {
    if (flag.code === 'SIDE_SHIFTED' && rows.length > 0) {
      const list = flag.dimensions.join(', ');
      return {
        zh: `各行的值取自较早的时段，随时间变化的维度 ${list} 也是该时段的`,
        en: `The rows show values of an earlier period, and ${list}, which follows the time, is that of the earlier period too`,
      };
    }
    if (flag.code !== 'SIDES_APART') continue;
    const [apart, met] = [periodsOf('SIDES_APART').size, periodsOf('SIDES_MEET').size];
    if (apart === 0 || (!flag.followTime && (apart < 2 || met > apart / 10))) continue;
    const list = flag.dimensions.join(', ');
    return {
      zh: `维度 ${list} 的取值随时段变化：有 ${apart} 个时段的各行在基期没有取值相同的行，未作比较；请去掉该维度，或换一个不改变其取值的间隔（如星期用 7 天）`,
      en: `The values of ${list} change with the period: the rows of ${apart} ${apart === 1 ? 'period' : 'periods'} have no counterpart with the same values in the earlier one, so they are not compared; leave the dimension out, or compare at a distance that keeps its values, such as 7 days for weekdays`,
    };
  }
  return null;
}

const hourMs = 3_600_000;

function isClamped(day: string, months: number): boolean {
  if (Number(day.slice(-2)) <= 28) return false;
  const date = new Date(`${day}T00:00Z`);
  return date.getUTCDate() > new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1, 0)).getUTCDate();
}

/** Whether a week is the 53rd of its year. A week belongs to the year of its Thursday. */
function isWeek53(period: string, weekStart: 'monday' | 'sunday'): boolean {
  const thursday = new Date(`${period}T00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + (weekStart === 'monday' ? 3 : 4));
  return thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1) >= 52 * 7 * 86_400_000;
}

function isCurrent(period: string, grain: Grain, today: string): boolean {
  if (grain === 'hour') return Math.floor((Date.now() - Date.parse(period)) / hourMs) === 0;
  if (period > today) return false;
  const next = new Date(`${period}T00:00Z`);
  const months = monthsIn[grain];
  if (months === undefined) next.setUTCDate(next.getUTCDate() + (grain === 'week' ? 7 : 1));
  else next.setUTCMonth(next.getUTCMonth() + months);
  return today < next.toISOString().slice(0, 10);
}

/** Maximum characters of a column that `hasAlike` compares. More would block the event loop for too long. */
const mostFolded = 200_000;

/** Whether two of the first texts of a column differ only in case, accents or blanks at their end. */
function hasAlike(rows: readonly unknown[][], index: number): boolean {
  const texts = new Set<string>();
  let characters = 0;
  for (const row of rows) {
    const text = row[index];
    if (typeof text !== 'string' || texts.has(text)) continue;
    characters += text.length;
    if (characters > mostFolded) break;
    texts.add(text);
  }
  const folded = [...texts].map(text => inNormalForm(text.trimEnd().toLowerCase(), 'NFD').replace(/\p{M}/gu, ''));
  return new Set(folded).size < texts.size;
}

function collationText({ inJoin, inDistinctCount }: CompiledMetrics['collated'], apart: readonly string[]): Bilingual {
  const places: Bilingual[] = [
    ...(inJoin ? [{ zh: '连接时这样的键对不上', en: 'such keys do not meet in a join' }] : []),
    ...(inDistinctCount ? [{ zh: '去重计数时各算一个', en: 'a distinct count counts each of them' }] : []),
    ...(apart.length > 0 ? [{ zh: `按 ${apart.join('、')} 分组时各成一组`, en: `they are groups apart in ${apart.join(', ')}` }] : []),
  ];
  return {
    zh: `来源库的排序规则把只有大小写（通常也包括重音或末尾空格）不同的文本视为相等，这里按字节比较：${places.map(({ zh }) => zh).join('；')}。要按来源库的相等比较，请在来源库中建视图统一写法，如 UPPER(TRIM(列))`,
    en: `The collation of the source takes texts for equal that differ only in case, and as a rule in accents or blanks at their end, and here their bytes are compared: ${places.map(({ en }) => en).join('; ')}. To compare them as the source does, give them one form in a view of the source, such as UPPER(TRIM(column))`,
  };
}
