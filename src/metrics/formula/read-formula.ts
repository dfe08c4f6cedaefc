import { type Bilingual } from '../../text/bilingual.js';
import { grainNames } from './formula-keywords.js';
import { type Formula, type Grain, type Leaf, type SqlText } from './formula-tree.js';

/**
 * The words of a node. `atom` is a name or a number, which never needs parentheses. `steps` are arithmetic read from left to right. A
 * `phrase` and `steps` get parentheses inside another phrase.
 */
interface Reading extends Bilingual {
  kind: 'atom' | 'phrase' | 'steps';
}

/**
 * Describes a formula in plain words. Different trees get different words: inside a phrase, everything except a single name or number is in
 * parentheses.
 */
export function readFormula(root: Formula): Bilingual {
  const { zh, en } = read(root);
  return { zh, en };
}

function read(node: Formula): Reading {
  switch (node.kind) {
    case 'leaf':
      return phrase(readLeaf(node));
    case 'number':
      return { zh: node.value, en: node.value, kind: 'atom' };
    case 'metric':
      return { ...quoted(node.name), kind: 'atom' };
    case 'negate': {
      const { zh, en } = part(node.operand);
      return phrase({ zh: spaced('负的', zh), en: `minus ${en}` });
    }
    case 'binary':
      return readSteps(node);
    case 'scalar':
      return phrase(readScalar(node));
    case 'ratio': {
      const [a, b] = [part(node.numerator), part(node.denominator)];
      if (node.percent) return phrase({ zh: spaced(a.zh, '占', b.zh, '的百分比'), en: `${a.en} as a percentage of ${b.en}` });
      return phrase({ zh: spaced(a.zh, '与', b.zh, '之比'), en: `the ratio of ${a.en} to ${b.en}` });
    }
    case 'accumulate':
      return phrase(readAccumulate(node));
    case 'period_over_period':
      return phrase(readChange(node));
    case 'share': {
      const { zh, en } = part(node.operand);
      if (node.within.length === 0) return phrase({ zh: spaced(zh, '占总数的比例'), en: `${en} as a share of the total` });
      const within = listed(node.within.map(quoted));
      return phrase({ zh: spaced(zh, `占同一${within.zh}内总数的比例`), en: `${en} as a share of the total within the same ${within.en}` });
    }
    case 'conversion':
      return phrase(readConversion(node));
    default:
      return node satisfies never;
  }
}

const operators = {
  '+': { zh: '加', en: 'plus' },
  '-': { zh: '减', en: 'minus' },
  '*': { zh: '乘以', en: 'times' },
  '/': { zh: '除以', en: 'divided by' },
};
const before: Record<Reading['kind'], Bilingual> = {
  atom: { zh: '', en: ' ' },
  phrase: { zh: '，', en: ', ' },
  steps: { zh: '，再', en: ', then ' },
};

function readSteps({ op, left, right }: Formula & { kind: 'binary' }): Reading {
  const [first, second, { zh, en }] = [read(left), part(right), operators[op]];
  const comma = before[first.kind];
  return { zh: spaced(first.zh, comma.zh + zh, second.zh), en: `${first.en}${comma.en}${en} ${second.en}`, kind: 'steps' };
}

function readLeaf(leaf: Leaf): Bilingual {
  const { zh, en } = readAggregate(leaf);
  if (leaf.where.length === 0) return { zh, en };
  const conditions = leaf.where.map(sql);
  return { zh: spaced('满足', conditions.join(' 且 '), '的行中', zh), en: `${en} where ${conditions.join(' and ')}` };
}

const aggregates = {
  SUM: { zh: '的和', en: 'the sum of' },
  COUNT: { zh: '有值的行数', en: 'the number of rows with a value of' },
  AVG: { zh: '的平均值', en: 'the mean of' },
  MIN: { zh: '的最小值', en: 'the smallest' },
  MAX: { zh: '的最大值', en: 'the largest' },
  STDDEV: { zh: '的样本标准差', en: 'the sample standard deviation of' },
  VARIANCE: { zh: '的样本方差', en: 'the sample variance of' },
};

function readAggregate(leaf: Leaf): Bilingual {
  switch (leaf.pattern) {
    case 'aggregate': {
      if (leaf.argument === null) return { zh: '行数', en: 'the number of rows' };
      const argument = sql(leaf.argument);
      if (leaf.fn !== 'FIRST' && leaf.fn !== 'LAST') {
        const { zh, en } = aggregates[leaf.fn];
        return { zh: spaced(argument, zh), en: `${en} ${argument}` };
      }
      const [zh, en] = leaf.fn === 'FIRST' ? ['最早时刻的和', 'first'] : ['最晚时刻的和', 'last'];
      if (leaf.by === null) return { zh: spaced(argument, `在每期${zh}`), en: `the sum of ${argument} at the ${en} time of each period` };
      const by = sql(leaf.by);
      return { zh: spaced(argument, '在每期每个', by, zh), en: `the sum of ${argument} at the ${en} time of each ${by} in each period` };
    }
    case 'count_distinct': {
      const keys = leaf.keys.map(sql);
      return { zh: spaced('不同', keys.join('、'), '的个数'), en: `the number of different ${keys.join(', ')}` };
    }
    case 'quantile': {
      const argument = sql(leaf.argument);
      if (leaf.mode === 'CONT' && leaf.fraction === '0.5') return { zh: spaced(argument, '的中位数'), en: `the median of ${argument}` };
      const [zh, en] = leaf.mode === 'CONT' ? ['插值', 'interpolated'] : ['取其中一个值', 'one of its values'];
      return { zh: spaced(argument, '的', leaf.fraction, `分位数（${zh}）`), en: `the ${leaf.fraction} quantile of ${argument} (${en})` };
    }
    case 'weighted_average': {
      const [value, weight] = [sql(leaf.value), sql(leaf.weight)];
      return { zh: spaced(value, '以', weight, '加权的平均值'), en: `the mean of ${value} weighted by ${weight}` };
    }
    default:
      return leaf satisfies never;
  }
}

function readScalar({ fn, operands }: Formula & { kind: 'scalar' }): Bilingual {
  const parts = operands.map(part);
  const all = listed(parts);
  const [first, second] = parts as [Bilingual, Bilingual | undefined];
  switch (fn) {
    case 'ROUND':
      if (!second) return { zh: spaced(first.zh, '四舍五入到整数'), en: `${first.en} rounded to a whole number` };
      return { zh: spaced(first.zh, '四舍五入到', second.zh, '位小数'), en: `${first.en} rounded to ${second.en} decimals` };
    case 'ABS':
      return { zh: spaced(first.zh, '的绝对值'), en: `the absolute value of ${first.en}` };
    case 'NULLIF':
      return { zh: spaced(first.zh, '（等于', second!.zh, '时没有值）'), en: `${first.en} (no value where it equals ${second!.en})` };
    case 'COALESCE':
      return { zh: spaced(all.zh, '中第一个有值的'), en: `the first with a value of ${all.en}` };
    case 'GREATEST':
      return { zh: spaced(all.zh, '中最大的'), en: `the largest of ${all.en}` };
    case 'LEAST':
      return { zh: spaced(all.zh, '中最小的'), en: `the smallest of ${all.en}` };
    default:
      return fn satisfies never;
  }
}

const days = {
  LAST: { zh: '每期最后一天', after: '', en: 'the end of each period' },
  FIRST: { zh: '每期第一天', after: '', en: 'the first day of each period' },
  AVERAGE: { zh: '每期每一天', after: '的平均', en: 'each day of a period, as the mean of those days' },
};

function readAccumulate(node: Formula & { kind: 'accumulate' }): Bilingual {
  const { zh, en } = part(node.operand);
  const day = days[node.at];
  const value = `的值${day.after}`;
  switch (node.fn) {
    case 'CUMULATIVE':
      return { zh: spaced(zh, `从开始到${day.zh}${value}`), en: `${en} from the beginning to ${day.en}` };
    case 'TO_DATE': {
      const grain = node.grain as Grain;
      return { zh: spaced(zh, `从${grainNames[grain]}初到${day.zh}${value}`), en: `${en} from the start of the ${grain} to ${day.en}` };
    }
    case 'ROLLING': {
      const span = spanOf(node.count, node.grain);
      return { zh: spaced(zh, `在截至${day.zh}的`, `${span.zh}内${value}`), en: `${en} over the ${span.en} up to ${day.en}` };
    }
    default:
      return node.fn satisfies never;
  }
}

const bases: Record<string, Bilingual> = {
  YOY: { zh: '一年前', en: 'a year before' },
  QOQ: { zh: '一季前', en: 'a quarter before' },
  MOM: { zh: '一月前', en: 'a month before' },
  WOW: { zh: '一周前', en: 'a week before' },
  DOD: { zh: '一天前', en: 'a day before' },
  POP: { zh: '前一期', en: 'the period before' },
};

function readChange({ fn, operand, grain, count, mode }: Formula & { kind: 'period_over_period' }): Bilingual {
  const { zh, en } = part(operand);
  const span = spanOf(count, grain);
  const base = bases[fn] ?? { zh: `${span.zh}前`, en: `${span.en} before` };
  switch (mode) {
    case 'RATE':
      return { zh: spaced(zh, '与', base.zh, '相比的变化率'), en: `the rate of change of ${en} against ${base.en}` };
    case 'DIFF':
      return { zh: spaced(zh, '与', base.zh, '相比的差'), en: `the change of ${en} against ${base.en}` };
    case 'VALUE':
      return { zh: spaced(zh, '在', base.zh, '的值'), en: `the value of ${en} ${base.en}` };
    default:
      return mode satisfies never;
  }
}

function readConversion({ base, converted, entity, within, mode }: Formula & { kind: 'conversion' }): Bilingual {
  const [from, to, of] = [quoted(base), quoted(converted), quoted(entity)];
  const span = within && spanOf(within.count, within.grain);
  const limit = span ? { zh: spaced('在', `${span.zh}内`), en: ` within ${span.en}` } : { zh: '其后', en: '' };
  const events = {
    zh: `${from.zh}${limit.zh}由同一${of.zh}转化为${to.zh}的次数`,
    en: `how many ${to.en} follow ${from.en} of the same ${of.en}${limit.en}`,
  };
  const counted = { zh: '按事件计，不按实体计', en: 'events are counted, not entities' };
  if (mode === 'COUNT') return { zh: `${events.zh}（${counted.zh}）`, en: `${events.en} (${counted.en})` };
  return { zh: `${events.zh}与${from.zh}的次数之比（${counted.zh}）`, en: `${events.en}, per ${from.en} (${counted.en})` };
}

function phrase({ zh, en }: Bilingual): Reading {
  return { zh, en, kind: 'phrase' };
}

/** The words of a node as a part of another node's phrase. */
function part(node: Formula): Bilingual {
  const { zh, en, kind } = read(node);
  return kind === 'atom' ? { zh, en } : { zh: `（${zh}）`, en: `(${en})` };
}

/** A name in quotation marks. A closing mark inside the name is doubled, so that the name cannot end early. */
function quoted(name: string): Bilingual {
  return { zh: `「${name.replaceAll('」', '」」')}」`, en: `"${name.replaceAll('"', '""')}"` };
}

function sql({ text }: SqlText): string {
  return `\`${text.replaceAll('`', '``')}\``;
}

function listed(items: Bilingual[]): Bilingual {
  return { zh: items.map(({ zh }) => zh).join('、'), en: items.map(({ en }) => en).join(', ') };
}

const measured: Partial<Record<Grain, string>> = { hour: '个小时', month: '个月', quarter: '个季度' };

function spanOf(count: number | null, grain: Grain | null): Bilingual {
  if (count === null || grain === null) return { zh: '', en: '' };
  return { zh: `${count} ${measured[grain] ?? grainNames[grain]}`, en: `${count} ${grain}${count === 1 ? '' : 's'}` };
}

/** Joins Chinese words, with a space where a digit or SQL stands beside a Chinese character. */
function spaced(...parts: string[]): string {
  return parts.reduce((left, right) => {
    const [last = '', first = ''] = [left.at(-1), right[0]];
    const isApart = (narrow.test(last) && han.test(first)) || (han.test(last) && narrow.test(first));
    return `${left}${isApart ? ' ' : ''}${right}`;
  });
}

const narrow = /[-\d`]/;
const han = /\p{Script=Han}/u;
