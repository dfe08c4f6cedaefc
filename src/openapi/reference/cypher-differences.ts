import { type Bilingual } from '../../text/bilingual.js';

interface CypherDifference {
  /** Part of the anchor. */
  name: string;
  meaning: Bilingual;
  example: string;
  isRefused?: true;
}

/** What a reader of openCypher would not expect. test/tck/known-differences.ts has the scenarios of the TCK whose answers differ. */
export const cypherDifferences: CypherDifference[] = [
  {
    name: 'aliases',
    meaning: { zh: '标签与关系类型也可用映射的 aliases', en: 'Labels and types may also be written as the aliases of the mapping' },
    example: 'MATCH (n:客户)-[:下单]->(o:Order) RETURN n, o',
  },
  {
    name: 'unknown-names',
    meaning: {
      zh: '图中没有的标签、类型与属性不是错误，而是答案中的 warnings',
      en: 'A label, type or property that the graph has not is no error, but one of the warnings of the answer',
    },
    example: 'MATCH (n:Unknown) RETURN n.nothing',
  },
  {
    name: 'division-by-zero',
    meaning: { zh: '除以零没有值，既不是错误也不是 NaN', en: 'A division by zero is null, neither an error nor NaN' },
    example: 'RETURN 1 / 0, 1.0 / 0',
  },
  {
    name: 'decimals',
    meaning: {
      zh: '数以十进制计算；大于 2^53 的数在答案中是其数字的文本',
      en: 'Arithmetic is decimal; numbers beyond 2^53 leave as strings of their digits',
    },
    example: 'RETURN 0.1 + 0.2, 9007199254740993',
  },
  {
    name: 'dates',
    meaning: {
      zh: '日期是 YYYY-MM-DD 的文本，date() 只读此写法；与其他写法的文本比较会被拒绝',
      en: 'A date is the text YYYY-MM-DD, and date() reads no other form; a comparison with a text in another form is refused',
    },
    example: `MATCH (o:Order) WHERE o.下单日期 > '5/1/2024' RETURN o`,
    isRefused: true,
  },
  {
    name: 'grouping',
    meaning: {
      zh: '分组的表达式可与聚合一起再次使用，无论其形状',
      en: 'A grouping expression may be used again beside an aggregate, whatever its shape',
    },
    example: 'MATCH (p:Product) RETURN p.单价 + 1, p.单价 + 1 + count(*)',
  },
  {
    name: 'hops',
    meaning: { zh: '路径的长度有限，没有变长关系', en: 'The length of a path is limited, and relationships have no variable length' },
    example: 'MATCH (a)-[]-(b)-[]-(c)-[]-(d)-[]-(e) RETURN a',
    isRefused: true,
  },
  {
    name: 'regular-expressions',
    meaning: { zh: '没有 =~；请用 CONTAINS、STARTS WITH 或 ENDS WITH', en: 'There is no =~; use CONTAINS, STARTS WITH or ENDS WITH' },
    example: `MATCH (c:Customer) WHERE c.国家 =~ 'F.*' RETURN c`,
    isRefused: true,
  },
  {
    name: 'subqueries',
    meaning: { zh: '没有 EXISTS、COUNT 与 COLLECT 子查询', en: 'There are no EXISTS, COUNT and COLLECT subqueries' },
    example: 'MATCH (c:Customer) WHERE EXISTS { (c)-[:PLACED]->(:Order) } RETURN c',
    isRefused: true,
  },
];
