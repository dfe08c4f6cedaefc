import { type Bilingual } from '../../text/bilingual.js';

interface CypherDifference {
  /** The name of the feature, from which the anchor is made. */
  name: string;
  meaning: Bilingual;
  example: string;
  isRefused?: true;
}

/**
 * Features that behave differently from what users of openCypher expect. test/tck/known-differences.ts lists the TCK scenarios whose
 * answers differ.
 */
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
      en: 'An unknown label, type or property is one of the warnings of the answer, not an error',
    },
    example: 'MATCH (n:Unknown) RETURN n.nothing',
  },
  {
    name: 'decimals',
    meaning: {
      zh: '来源的小数是精确的：小数与整数、小数运算得精确的小数，与浮点数运算得浮点数；NaN、无穷、大于 2^53 的数与位数超过浮点数的小数在答案中是文本；商与平均值取最接近的浮点数',
      en: 'Decimals of the source are exact: with integers and decimals they give exact decimals, with floats a float; NaN, the infinities, numbers beyond 2^53 and decimals with more digits than a float leave as strings, and quotients and means as the nearest float',
    },
    example: 'MATCH (p:Product) RETURN p.单价 * 3, p.单价 * 0.1, 9007199254740993',
  },
  {
    name: 'dates',
    meaning: {
      zh: '文本与日期或时间比较时，按 ISO 8601 读作同类的值，未写明时区的与其比较的时间同区，写明时区的比较时刻；读不出则是错误',
      en: 'A text beside a date or a time is read as one, by ISO 8601; without a zone it has that of the time beside it, with one the moment counts, and one that cannot be read is an error',
    },
    example: `MATCH (o:Order) WHERE o.下单日期 >= '2024-05-01' RETURN o`,
  },
  {
    name: 'regular-expressions',
    meaning: { zh: '没有 =~；请用 CONTAINS、STARTS WITH 或 ENDS WITH', en: 'There is no =~; use CONTAINS, STARTS WITH or ENDS WITH' },
    example: `MATCH (c:Customer) WHERE c.国家 =~ 'F.*' RETURN c`,
    isRefused: true,
  },
];
