import { type CypherWord } from '../syntax/syntax-words.js';

/** Aggregate functions that run in memory only, by name. */
export const furtherAggregateWords: Record<string, CypherWord> = {
  stDev: word('样本标准差', 'The standard deviation of a sample', 'stDev(p.单价)'),
  stDevP: word('总体标准差', 'The standard deviation of a population', 'stDevP(p.单价)'),
  percentileCont: word('百分位数，两值之间线性取值', 'A percentile, between two values on a line', 'percentileCont(p.单价, 0.5)'),
  percentileDisc: word('百分位数，为其中一个值', 'A percentile that is one of the values', 'percentileDisc(p.单价, 0.5)'),
};

/**
 * Functions that run in memory only. Each entry describes the functions of one kind. Its key is the name of one of them, or of the kind.
 */
export const furtherFunctionWords: Record<string, CypherWord> = {
  range: word('整数的列表', 'A list of integers', 'range(1, 10, 2)'),
  tail: word('列表去掉第一项', 'A list without its first item', `tail(split(c.公司名称, ' '))`),
  nodes: word(
    '路径的节点与关系：nodes()、relationships()',
    'The nodes of a path; its edges by relationships()',
    'nodes(shortestPath((c)-[*..5]-(p)))',
  ),
  trigonometry: word(
    '三角函数：sin、cos、tan、cot、asin、acos、atan、atan2、degrees、radians、haversin',
    'sin, cos, tan, cot, asin, acos, atan, atan2, degrees, radians, haversin',
    'sin(radians(90))',
  ),
  logarithms: word('指数与对数：exp、log、log10、e、pi、isNaN', 'exp, log, log10, e, pi, isNaN', 'log10(100)'),
  'lists of values': word(
    'toBooleanList、toFloatList、toIntegerList、toStringList，以及 toXOrNull',
    'toBooleanList, toFloatList, toIntegerList, toStringList, and toXOrNull',
    `toIntegerList(['1', '2'])`,
  ),
  'times of day and moments': word(
    'date、time、localtime、datetime、localdatetime：由文本、映射或其他时间而来',
    'date, time, localtime, datetime, localdatetime: from a text, a map or another time',
    'date({year: 2024, month: 5, day: 1})',
  ),
  truncate: word(
    'date.truncate、datetime.truncate 等：去掉较小的部分',
    'date.truncate, datetime.truncate and so on: without the smaller parts',
    `date.truncate('month', o.下单日期)`,
  ),
  duration: word('时长，可与时间相加减', 'A duration, which can be added to a time', `o.下单日期 + duration({days: 14})`),
  'duration.between': word(
    '两个时间之间的时长；另有 duration.inMonths、inDays、inSeconds',
    'The duration between two times; also duration.inMonths, inDays and inSeconds',
    `duration.inDays(o.下单日期, date('2024-12-31')).days`,
  ),
};

function word(zh: string, en: string, example: string): CypherWord {
  return { meaning: { zh, en }, example };
}
