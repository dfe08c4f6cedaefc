import { type CypherWord } from '../syntax/syntax-words.js';

/**
 * Functions by name in lower case. Each example is an expression over the variables c, r, o, l and p; cypher-page.ts puts a query around
 * it.
 */
export const functionWords: Readonly<Record<string, CypherWord>> = {
  id: word('id', '节点或关系在本图中的编号', 'The number of a node or relationship in this graph', 'id(c)'),
  elementid: word('elementId', '同 id，作为文本', 'The same as id, as text', 'elementId(c)'),
  labels: word('labels', '节点的标签', 'The labels of a node', 'labels(c)'),
  type: word('type', '关系的类型', 'The type of a relationship', 'type(r)'),
  properties: word('properties', '全部属性', 'All properties', 'properties(c)'),
  keys: word('keys', '属性或键的名称', 'The names of the properties or keys', 'keys(c)'),
  coalesce: word('coalesce', '第一个有值的参数', 'The first argument that has a value', `coalesce(c.国家, '?')`),
  exists: word('exists', '是否有值', 'Whether there is a value', 'exists(c.国家)'),
  size: word('size', '文本的字符数或列表的项数', 'The characters of a text or the items of a list', 'size(c.公司名称)'),
  length: word('length', '同 size', 'The same as size', 'length(c.公司名称)'),
  head: word('head', '列表的第一项', 'The first item of a list', `head(split(c.公司名称, ' '))`),
  last: word('last', '列表的最后一项', 'The last item of a list', `last(split(c.公司名称, ' '))`),
  tolower: word('toLower', '小写', 'Lower case', 'toLower(c.公司名称)'),
  lower: word('lower', '同 toLower', 'The same as toLower', 'lower(c.公司名称)'),
  toupper: word('toUpper', '大写', 'Upper case', 'toUpper(c.公司名称)'),
  upper: word('upper', '同 toUpper', 'The same as toUpper', 'upper(c.公司名称)'),
  trim: word('trim', '去掉两端的空格', 'Takes spaces off both ends', 'trim(c.公司名称)'),
  ltrim: word('lTrim', '去掉开头的空格', 'Takes spaces off the start', 'lTrim(c.公司名称)'),
  rtrim: word('rTrim', '去掉结尾的空格', 'Takes spaces off the end', 'rTrim(c.公司名称)'),
  reverse: word('reverse', '倒写文本', 'The text backwards', 'reverse(c.公司名称)'),
  left: word('left', '前若干个字符', 'The first characters', 'left(c.公司名称, 3)'),
  right: word('right', '后若干个字符', 'The last characters', 'right(c.公司名称, 3)'),
  substring: word(
    'substring',
    '从某处（自 0 数）起的字符，可限个数',
    'The characters from a place on, counted from 0; at most so many',
    'substring(c.公司名称, 1, 3)',
  ),
  replace: word('replace', '替换文本', 'Replaces a text', `replace(c.公司名称, 'GmbH', '')`),
  split: word('split', '按分隔文本切开', 'Cuts a text at a separator', `split(c.公司名称, ' ')`),
  tostring: word('toString', '作为文本；数与答案中的写法相同', 'As text; a number as rows show it', 'toString(p.单价)'),
  tointeger: word(
    'toInteger',
    '作为整数，去掉小数；读不出则没有值',
    'As an integer without decimals; no value if it cannot be read',
    `toInteger('12')`,
  ),
  tofloat: word('toFloat', '作为数；读不出则没有值', 'As a number; no value if it cannot be read', `toFloat('1.5')`),
  toboolean: word('toBoolean', '作为真假；读不出则没有值', 'As true or false; no value if it cannot be read', `toBoolean('true')`),
  abs: word('abs', '绝对值', 'The absolute value', 'abs(p.单价 - 10)'),
  sign: word('sign', '-1、0 或 1', '-1, 0 or 1', 'sign(p.单价 - 10)'),
  ceil: word('ceil', '向上取整', 'Rounds up', 'ceil(p.单价)'),
  floor: word('floor', '向下取整', 'Rounds down', 'floor(p.单价)'),
  round: word('round', '四舍五入，可给小数位数', 'Rounds, to so many decimals if given', 'round(p.单价, 1)'),
  sqrt: word('sqrt', '平方根；负数得 NaN', 'The square root; NaN below zero', 'sqrt(p.单价)'),
  date: word('date', '日期，写作 YYYY-MM-DD', 'A day, written as YYYY-MM-DD', `date('2024-05-01')`),
};

export const endWords: Record<'startnode' | 'endnode', CypherWord> = {
  startnode: word('startNode', '有方向的关系的起点', 'The node at which a relationship with a direction starts', 'startNode(r)'),
  endnode: word('endNode', '有方向的关系的终点', 'The node at which a relationship with a direction ends', 'endNode(r)'),
};

export const aggregateWords: Readonly<Record<string, CypherWord>> = {
  count: word('count', '有值的行数；count(*) 为所有行', 'The rows with a value; count(*) counts all', 'count(DISTINCT c)'),
  sum: word('sum', '和', 'The sum', 'sum(p.单价 * l.数量)'),
  avg: word('avg', '平均值', 'The mean', 'avg(p.单价)'),
  min: word('min', '最小值', 'The smallest value', 'min(p.单价)'),
  max: word('max', '最大值', 'The largest value', 'max(o.下单日期)'),
  collect: word('collect', '各值的列表', 'A list of the values', 'collect(p.名称)'),
};

function word(name: string, zh: string, en: string, example: string): CypherWord {
  return { name, meaning: { zh, en }, example };
}
