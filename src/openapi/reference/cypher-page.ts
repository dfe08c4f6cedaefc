import { aggregateWords, endWords, functionWords } from '../../cypher/semantics/function-words.js';
import { furtherAggregateWords, furtherFunctionWords } from '../../cypher/functions/further-words.js';
import { unbuilt } from '../../cypher/syntax/phrases.js';
import { oldForms } from '../../cypher/syntax/old-forms.js';
import { unbuiltReads, writingClauses } from '../../cypher/syntax/refused.js';
import { clauseWords, type CypherWord, expressionWords, operatorWords, unbuiltExamples } from '../../cypher/syntax/syntax-words.js';
import { maxDepth } from '../../cypher/syntax/token-stream.js';
import { maxQueryCharacters } from '../../cypher/syntax/tokenize.js';
import { type Bilingual, inBoth, type Phrase } from '../../text/bilingual.js';
import { cypherDifferences } from './cypher-differences.js';
import { type ReferenceEntry, type ReferencePage, type ReferenceSection } from './render-reference.js';

const onlyReads = { zh: '查询只读取', en: 'Queries only read' };
const notBuilt = { zh: '暂不支持', en: 'Not supported' };

/** The reference page of the supported part of openCypher, made from the tables that the compiler reads. */
export const cypherPage: ReferencePage = {
  path: '/docs/cypher',
  title: { zh: 'openCypher', en: 'openCypher' },
  intro: [
    {
      zh: `POST /api/graphs/{id}/query 的 cypher 字段：openCypher 9 的只读部分。最多 ${maxQueryCharacters} 个字符，表达式最多 ${maxDepth} 层。`,
      en: `The cypher field of POST /api/graphs/{id}/query: the reading part of openCypher 9. At most ${maxQueryCharacters} characters and ${maxDepth} levels of an expression.`,
    },
    {
      zh: '查询在内存中的图上执行；SQL 能得出完全相同结果的查询，在更合适时由 SQL 执行。答案的 plan.executor 与 plan.reason 说明由谁执行、为什么。',
      en: 'Queries run on the graph in memory, or as SQL where SQL has exactly the same results and is cheaper; plan.executor and plan.reason of the answer say which and why.',
    },
    {
      zh: '示例可在 Swagger UI 的示例数据上运行。关键词与函数名不分大小写。',
      en: 'The examples run on the sample data of Swagger UI. Keywords and names of functions may be in any case.',
    },
  ],
  sections: [
    section('clauses', { zh: '子句', en: 'Clauses' }, clauseWords),
    section('expressions', { zh: '表达式', en: 'Expressions' }, expressionWords, queryOf),
    section('operators', { zh: '运算符', en: 'Operators' }, operatorWords, queryOf),
    section('functions', { zh: '函数', en: 'Functions' }, { ...functionWords, ...endWords }, queryOf),
    section('further-functions', { zh: '其他函数', en: 'Further functions' }, furtherFunctionWords, queryOf),
    section('aggregates', { zh: '聚合', en: 'Aggregates' }, { ...aggregateWords, ...furtherAggregateWords }, queryOf),
    refused('writes', { zh: '拒绝：写入与过程', en: 'Refused: writing and procedures' }, onlyReads, writingClauses),
    refused('unbuilt-clauses', { zh: '拒绝：尚未支持的子句', en: 'Refused: clauses that are not supported' }, notBuilt, unbuiltReads),
    {
      anchor: 'unbuilt-old',
      title: { zh: '拒绝：旧写法', en: 'Refused: old forms' },
      entries: Object.entries(oldForms).map(([name, { now, example }], i) => ({
        anchor: `unbuilt-old-${i + 1}`,
        name,
        facts: [],
        meaning: now,
        example,
      })),
    },
    {
      anchor: 'unbuilt',
      title: { zh: '拒绝：其他尚未支持的部分', en: 'Refused: other parts that are not supported' },
      entries: Object.entries<Phrase>(unbuilt).map(([name, phrase]) => {
        const example = unbuiltExamples[name as keyof typeof unbuilt];
        const { zh, en } = inBoth(phrase);
        return {
          anchor: `unbuilt-${name}`,
          name: en,
          facts: [],
          meaning: { zh: `${notBuilt.zh}：${zh}`, en: notBuilt.en },
          ...(example === null ? {} : { example }),
        };
      }),
    },
    {
      anchor: 'differences',
      title: { zh: '与 openCypher 不同之处', en: 'Differences from openCypher' },
      entries: cypherDifferences.map(({ name, meaning, example }) => ({
        anchor: `differences-${name}`,
        name,
        facts: [],
        meaning,
        example,
      })),
    },
  ],
};

/** Returns a whole query that contains an example expression. */
export function queryOf(expression: string): string {
  return `MATCH (c:Customer)-[r:PLACED]->(o:Order)-[l:CONTAINS]->(p:Product) RETURN ${expression}`;
}

function section(
  anchor: string,
  title: Bilingual,
  words: Readonly<Record<string, CypherWord>>,
  whole?: (example: string) => string,
): ReferenceSection {
  const entries = Object.entries(words).map(([key, { name = key, meaning, example }]): ReferenceEntry => {
    return { anchor: `${anchor}-${anchorText(key)}`, name, facts: [], meaning, example, ...(whole ? { whole: whole(example) } : {}) };
  });
  return { anchor, title, entries };
}

function refused(anchor: string, title: Bilingual, meaning: Bilingual, examples: Readonly<Record<string, string>>): ReferenceSection {
  return {
    anchor,
    title,
    entries: Object.entries(examples).map(([name, example]) => ({ anchor: `${anchor}-${name}`, name, facts: [], meaning, example })),
  };
}

/** The anchor of an entry: an HTML id must not contain spaces. */
function anchorText(key: string): string {
  return key.replaceAll(' ', '-');
}
