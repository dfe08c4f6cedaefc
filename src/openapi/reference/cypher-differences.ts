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
    meaning: {
      zh: '由 SQL 执行时，除以零没有值；在内存中执行时，整数除以零是错误，浮点数得 NaN 或无穷',
      en: 'In SQL a division by zero is null; in memory it is an error for integers, and NaN or infinite for floats',
    },
    example: 'RETURN 1 / 0, 1.0 / 0',
  },
  {
    name: 'decimals',
    meaning: {
      zh: 'SQL 中的数以十进制计算，内存中浮点数为双精度而来源的小数精确；大于 2^53 的数在答案中是其数字的文本',
      en: 'In SQL arithmetic is decimal; in memory floats are doubles, and decimals of the source exact; numbers beyond 2^53 leave as strings of their digits',
    },
    example: 'RETURN 0.1 + 0.2, 9007199254740993',
  },
  {
    name: 'dates',
    meaning: {
      zh: '来源的日期在 SQL 中是 YYYY-MM-DD 的文本，在内存中是时间值；两者都可与该写法的文本比较，与其他写法的比较会被拒绝',
      en: 'A date of the source is the text YYYY-MM-DD in SQL and a time in memory; both compare with texts of that form, and a comparison with another form is refused',
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
    name: 'regular-expressions',
    meaning: { zh: '没有 =~；请用 CONTAINS、STARTS WITH 或 ENDS WITH', en: 'There is no =~; use CONTAINS, STARTS WITH or ENDS WITH' },
    example: `MATCH (c:Customer) WHERE c.国家 =~ 'F.*' RETURN c`,
    isRefused: true,
  },
];
