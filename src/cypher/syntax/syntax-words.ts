import { type Bilingual } from '../../text/bilingual.js';
import { type BinaryOperator, type Expression } from './cypher-ast.js';
import { type unbuilt } from './phrases.js';

/** A part of the Cypher language with its meaning and an example. The example is a query, or for an expression only the expression. */
export interface CypherWord {
  /** The text that the documentation shows for this part, where it differs from the key. */
  name?: string;
  meaning: Bilingual;
  example: string;
}

export const clauseWords: Record<string, CypherWord> = {
  MATCH: {
    meaning: {
      zh: '图中的模式，可写任意多个 MATCH 与以逗号分隔的路径；标签与类型也可用其别名',
      en: 'Patterns of the graph; any number of MATCH clauses, and of paths with commas between them; labels and types may be aliases',
    },
    example: 'MATCH (c:Customer {国家: $country})-[:PLACED]->(o:Order)<-[:PLACED]-(other) MATCH (o)-[:CONTAINS]->(p:Product) RETURN p',
  },
  'OPTIONAL MATCH': {
    meaning: { zh: '同 MATCH；没有匹配时变量为 null', en: 'Like MATCH; without a match its variables are null' },
    example: 'MATCH (c:Customer) OPTIONAL MATCH (c)-[:PLACED]->(o:Order) RETURN c, count(o) AS n',
  },
  UNWIND: {
    meaning: { zh: '列表的每一项成为一行', en: 'Makes a row of each item of a list' },
    example: `UNWIND ['法国', '德国'] AS name MATCH (c:Customer {国家: name}) RETURN name, count(c)`,
  },
  WITH: {
    meaning: {
      zh: '为其后的子句留下各列；可带聚合、DISTINCT、ORDER BY、LIMIT 与 WHERE',
      en: 'Keeps columns for the clauses behind; may aggregate, and take DISTINCT, ORDER BY, LIMIT and WHERE',
    },
    example: 'MATCH (c:Customer)-[:PLACED]->(o) WITH c, count(o) AS n WHERE n > 2 MATCH (c)-[:PLACED]->(x) RETURN c, x',
  },
  UNION: {
    meaning: { zh: '合并两个查询的行；UNION ALL 保留重复', en: 'The rows of two queries; UNION ALL keeps repetitions' },
    example: 'MATCH (n:Customer) RETURN n.国家 AS name UNION MATCH (n:Product) RETURN n.类别 AS name',
  },
  WHERE: { meaning: { zh: '须成立的条件', en: 'A condition that must hold' }, example: `MATCH (p:Product) WHERE p.单价 > 10 RETURN p` },
  RETURN: {
    meaning: {
      zh: '答案的列；* 为所有变量；有聚合时，其余的列为分组',
      en: 'The columns of the answer; * is all variables; beside an aggregate the other columns are the groups',
    },
    example: 'MATCH (p:Product) RETURN p.类别 AS 类别, count(*) AS 个数',
  },
  DISTINCT: {
    meaning: { zh: '不重复的行，或聚合中不重复的值', en: 'Rows without repetition, or values in an aggregate' },
    example: 'MATCH (c:Customer) RETURN DISTINCT c.国家',
  },
  'ORDER BY': {
    meaning: { zh: '排序；DESC 为降序', en: 'Sorts; DESC from the largest' },
    example: 'MATCH (p:Product) RETURN p ORDER BY p.单价 DESC, p.名称',
  },
  SKIP: {
    meaning: { zh: '略过前若干行；也可写 OFFSET', en: 'Leaves out the first rows; OFFSET is the same' },
    example: 'MATCH (p:Product) RETURN p ORDER BY p.名称 SKIP 10',
  },
  LIMIT: {
    meaning: { zh: '最多若干行；整数或参数', en: 'At most so many rows; an integer or a parameter' },
    example: 'MATCH (p:Product) RETURN p LIMIT 5',
  },
};

/**
 * Kinds of expressions by the `kind` of the tree. Each example is an expression over the variables c, r, o, l and p; cypher-page.ts puts a
 * query around it.
 */
export const expressionWords: Record<Exclude<Expression['kind'], 'binary' | 'call' | 'logical' | 'unary'>, CypherWord> = {
  literal: {
    name: `'text', true, false, null`,
    meaning: { zh: '文本、真假与没有值', en: 'Texts, truth values and no value' },
    example: `c.国家 = '法国'`,
  },
  number: { name: '1, 1.5, 1e3, 0xFF', meaning: { zh: '整数与小数', en: 'Integers and decimals' }, example: 'p.单价 * 1.5' },
  parameter: {
    name: '$name',
    meaning: { zh: '请求中 parameters 的值', en: 'A value from the parameters of the request' },
    example: 'c.国家 = $country',
  },
  variable: { name: 'n', meaning: { zh: '模式中的节点或关系', en: 'A node or a relationship of the pattern' }, example: 'c' },
  property: {
    name: 'n.name',
    meaning: { zh: '属性；日期有 year、quarter、month、day', en: 'A property; a date has year, quarter, month and day' },
    example: 'o.下单日期.year',
  },
  index: {
    name: "list[0], map['key']",
    meaning: { zh: '列表的一项（负数从末尾数）或键的值', en: 'An item of a list, from the end if negative, or the value of a key' },
    example: `split(c.公司名称, ' ')[0]`,
  },
  slice: { name: 'list[1..3]', meaning: { zh: '列表的一段', en: 'A part of a list' }, example: `split(c.公司名称, ' ')[1..3]` },
  list: { name: '[1, 2]', meaning: { zh: '列表', en: 'A list' }, example: '[p.名称, p.类别]' },
  map: { name: '{key: value}', meaning: { zh: '映射', en: 'A map' }, example: '{product: p.名称, amount: l.数量}' },
  isNull: { name: 'IS NULL, IS NOT NULL', meaning: { zh: '是否没有值', en: 'Whether there is a value' }, example: 'c.国家 IS NOT NULL' },
  hasLabels: {
    name: 'n:Label',
    meaning: { zh: '是否有标签；| 表示任一', en: 'Whether it has the label; | is any of several' },
    example: 'c:Customer|Supplier',
  },
  listComprehension: {
    name: '[x IN list WHERE … | …]',
    meaning: { zh: '列表推导', en: 'The items of a list that a condition keeps, each turned into a value' },
    example: `[word IN split(c.公司名称, ' ') WHERE size(word) > 2 | toUpper(word)]`,
  },
  patternComprehension: {
    name: '[(a)-->(b) | …]',
    meaning: { zh: '模式推导：每个匹配的值', en: 'A value for each match of a pattern' },
    example: '[(c)-[:PLACED]->(x:Order) | x.下单日期]',
  },
  quantifier: {
    name: 'all, any, none, single (x IN list WHERE …)',
    meaning: { zh: '列表中有多少项符合条件', en: 'How many items of a list keep a condition' },
    example: `any(word IN split(c.公司名称, ' ') WHERE word = 'GmbH')`,
  },
  reduce: {
    name: 'reduce(a = …, x IN list | …)',
    meaning: { zh: '依次累积列表的各项', en: 'Gathers the items of a list one after the other' },
    example: `reduce(sum = 0, x IN [1, 2, 3] | sum + x)`,
  },
  pattern: {
    name: 'shortestPath((a)-[*..5]-(b)), allShortestPaths(…)',
    meaning: {
      zh: '两个节点间的最短路径；不带函数的模式是条件：WHERE (a)-->(b)',
      en: 'The shortest path between two nodes; a pattern without the function is a condition: WHERE (a)-->(b)',
    },
    example: 'length(shortestPath((c)-[*..5]-(p)))',
  },
  subquery: {
    name: 'EXISTS { … }, COUNT { … }, COLLECT { … }',
    meaning: { zh: '子查询：有没有行、有几行、各行的值', en: 'A query inside: whether it has rows, how many, and their values' },
    example: 'COUNT { (c)-[:PLACED]->(:Order) }',
  },
  countAll: { name: 'count(*)', meaning: { zh: '行数', en: 'How many rows' }, example: 'count(*)' },
  case: {
    name: 'CASE',
    meaning: { zh: '按条件取值', en: 'A value by conditions' },
    example: `CASE WHEN p.单价 > 50 THEN 'high' ELSE 'low' END`,
  },
};

export const operatorWords: Record<BinaryOperator | 'AND' | 'OR' | 'NOT', CypherWord> = {
  '=': { meaning: { zh: '相等', en: 'Equal' }, example: `c.国家 = '法国'` },
  '<>': { meaning: { zh: '不等', en: 'Not equal' }, example: `c.国家 <> '法国'` },
  '<': { meaning: { zh: '小于；可连写 1 < x < 5', en: 'Less; may be chained, 1 < x < 5' }, example: '1 < p.单价 < 5' },
  '<=': { meaning: { zh: '不大于', en: 'Not above' }, example: 'p.单价 <= 5' },
  '>': { meaning: { zh: '大于', en: 'Greater' }, example: `o.下单日期 > date('2024-05-01')` },
  '>=': { meaning: { zh: '不小于', en: 'Not below' }, example: 'p.单价 >= 5' },
  'STARTS WITH': { meaning: { zh: '文本的开头', en: 'The start of a text' }, example: `p.名称 STARTS WITH 'A'` },
  'ENDS WITH': { meaning: { zh: '文本的结尾', en: 'The end of a text' }, example: `p.名称 ENDS WITH 'r'` },
  CONTAINS: { meaning: { zh: '文本之中', en: 'A part of a text' }, example: `p.名称 CONTAINS 'utt'` },
  IN: { meaning: { zh: '列表之中', en: 'An item of a list' }, example: `c.国家 IN ['法国', '德国']` },
  '+': {
    meaning: { zh: '数相加，文本相连，列表相接', en: 'Adds numbers, joins texts, appends lists' },
    example: `c.国家 + ' ' + c.公司名称`,
  },
  '-': { meaning: { zh: '减', en: 'Minus' }, example: 'p.单价 - 1' },
  '*': { meaning: { zh: '乘', en: 'Times' }, example: 'p.单价 * l.数量' },
  '/': {
    meaning: { zh: '除；除以整数零是错误，除以 0.0 得无穷', en: 'Divides; by the integer zero is an error, by 0.0 infinity' },
    example: 'p.单价 / l.数量',
  },
  '%': { meaning: { zh: '余数', en: 'The remainder' }, example: 'l.数量 % 2' },
  '^': { meaning: { zh: '乘方', en: 'To the power' }, example: 'l.数量 ^ 2' },
  AND: { meaning: { zh: '且', en: 'And' }, example: `c.国家 = '法国' AND p.单价 > 5` },
  OR: { meaning: { zh: '或', en: 'Or' }, example: `c.国家 = '法国' OR p.单价 > 5` },
  XOR: { meaning: { zh: '恰好其一', en: 'Exactly one of both' }, example: `c.国家 = '法国' XOR p.单价 > 5` },
  NOT: { meaning: { zh: '非', en: 'Not' }, example: `NOT c.国家 = '法国'` },
};

/**
 * For each part of the language in `unbuilt`, an example query that uses it and is refused. Null if the query would be too long to read.
 */
export const unbuiltExamples: Record<keyof typeof unbuilt, string | null> = {
  longChain: null,
  mapProjection: 'MATCH (c:Customer) RETURN c {.国家}',
  labelExpression: 'MATCH (c:!Customer) RETURN c',
};
