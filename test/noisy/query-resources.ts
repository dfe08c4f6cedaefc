import * as fc from 'fast-check';
import { alike, deep, queries, type Resource } from './resource.js';

const cypher = (texts: fc.Arbitrary<string>) => texts.map(text => ({ cypher: text }));

/** Expressions that grow a text: each step doubles it, or multiplies it by ten. */
const grown = fc
  .record({
    seed: fc.constantFrom(`'aaaaaaaaaa'`, 'a.长文', 'toString(a.编号)', `'汉'`),
    how: fc.constantFrom('replace', 'plus', 'left', 'mixed'),
    times: fc.integer({ min: 3, max: 9 }),
  })
  .map(({ seed, how, times }) => {
    let text: string = seed;
    for (let time = 0; time < times; time++) {
      const kind = how === 'mixed' ? ['replace', 'plus', 'left'][time % 3] : how;
      if (kind === 'replace') text = `replace(${text}, left(${seed}, 1), 'aaaaaaaaaa')`;
      else if (kind === 'left') text = `left(replace(${text}, 'a', 'aaaaaaaaaa'), 30000000)`;
      else text = text.length > 4_000 ? `(${text} + ${seed})` : `(${text} + ${text})`;
    }
    return text;
  });

const grownLists = fc
  .record({ rows: fc.constantFrom('(a:项)', '(a:项), (b:项)'), what: fc.constantFrom('a', 'a.长文', '[a, a.长文]', 'a.编号') })
  .map(({ rows, what }) => `MATCH ${rows} WHERE a.编号 < 2000 RETURN collect(${what}) AS 全部`);

const chain = (nodes: number, joined: boolean) =>
  Array.from({ length: nodes }, (_, index) =>
    joined && index > 0 ? `-[:属于]->(n${index})` : `${index === 0 ? '' : ', '}(n${index}:项)`,
  ).join('');

/** A text of 10^levels characters. */
function tenfold(text: string, letter: string, levels: number): string {
  return levels === 0 ? text : `replace(${tenfold(text, letter, levels - 1)}, '${letter}', '${letter.repeat(10)}')`;
}

const joinedTimes = (count: number, text: string) => Array.from({ length: count }, () => text).join(' + ');

/** The ways to query a graph. */
export const queryResources: Resource[] = [
  {
    name: 'memory, by growing texts',
    sends: 'Cypher that multiplies a text by replace, +, left',
    // The first query makes one value of 630 MB, too large for a JavaScript string; the second makes eight texts of 100 MB in one backend.
    worst: noisy => [
      ...alike(noisy, `RETURN ${joinedTimes(7, `left(${tenfold(`'汉'`, '汉', 8)}, 30000000)`)} AS t`, 1),
      ...alike(noisy, `RETURN size(${joinedTimes(8, tenfold(`'a'`, 'a', 8))}) AS n`, 2),
    ],
    waves: noisy =>
      queries(
        noisy,
        cypher(
          fc
            .tuple(grown, fc.constantFrom('', 'count(', 'collect(', 'size('))
            .map(([text, around]) => `MATCH (a:项) RETURN ${around}${text}${around === '' ? '' : ')'} AS t`),
        ),
      ),
  },
  {
    name: 'memory, by growing lists',
    sends: 'collect() of nodes and long texts, over cross products',
    waves: noisy => queries(noisy, cypher(grownLists), { most: 8 }),
  },
  {
    name: 'answers',
    sends: 'answers of tens of megabytes: ten thousand rows of long texts and whole nodes',
    worst: noisy => [
      ...alike(noisy, 'MATCH (a:项), (b:项) RETURN a, b LIMIT 10000', 2),
      // 600 MB in three thousand rows.
      ...alike(noisy, `MATCH (a:项) RETURN ${tenfold('a.长文', 'x', 2)} AS t`, 2),
    ],
    waves: noisy =>
      queries(
        noisy,
        cypher(
          fc
            .constantFrom('a, b', 'a.长文, b.长文', 'a.长文 + b.长文', '[a, b, a.长文]')
            .map(what =>
              `MATCH (a:项), (b:项) RETURN ${what} AS x LIMIT 10000`
                .replace('a, b AS x', 'a, b')
                .replace('a.长文, b.长文 AS x', 'a.长文 AS x, b.长文 AS y'),
            ),
        ),
        { most: 10 },
      ),
  },
  {
    name: 'retrieval work',
    sends: 'slow cross products, twelve at once, with the longest time-outs, some hung up on',
    worst: noisy => alike(noisy, 'MATCH (a:项), (b:项), (c:项) WHERE a.编号 * b.编号 = c.编号 * 7919 + 1 RETURN count(*) AS n', 12),
    waves: noisy =>
      queries(
        noisy,
        cypher(
          fc.record({ tables: fc.integer({ min: 3, max: 5 }), factor: fc.integer({ min: 2, max: 9_999 }) }).map(({ tables, factor }) => {
            const names = ['a', 'b', 'c', 'd', 'e'].slice(0, tables);
            return `MATCH ${names.map(name => `(${name}:项)`).join(', ')} WHERE a.编号 * b.编号 = c.编号 * ${factor} + 1 RETURN count(*) AS n`;
          }),
        ),
      ),
  },
  {
    name: 'disk, by sorting',
    sends: 'count(DISTINCT …), ORDER BY and grouping over cross products of long texts',
    worst: noisy => alike(noisy, 'MATCH (a:项), (b:项), (c:项) RETURN count(DISTINCT a.名称 + b.名称 + c.名称) AS n', 8),
    waves: noisy =>
      queries(
        noisy,
        cypher(
          fc.constantFrom(
            'MATCH (a:项), (b:项), (c:项) RETURN count(DISTINCT a.名称 + b.名称 + c.名称) AS n',
            'MATCH (a:项), (b:项) RETURN count(DISTINCT a.长文 + b.名称) AS n',
            'MATCH (a:项), (b:项) RETURN a.长文 AS t, b.名称 AS u ORDER BY u, t DESC LIMIT 10',
            'MATCH (a:项), (b:项) RETURN a.名称 + b.名称 AS 组, count(*) AS n ORDER BY n LIMIT 10',
            'MATCH (a:项), (b:项) RETURN DISTINCT a.长文 + b.长文 AS t LIMIT 10',
          ),
        ),
      ),
  },
  {
    name: 'the loop of retrieval, by questions',
    sends: 'questions of two thousand characters, thirty in a minute',
    waves: noisy =>
      queries(
        noisy,
        fc
          .oneof(
            fc
              .constantFrom(
                '一百万亿',
                '2025年1月',
                '不是',
                '名称1',
                '前三个项的',
                '的',
                '一百万亿名称',
                '项属于项',
                'a b ',
                '第一季度去年',
              )
              .map(text => text.repeat(2_000).slice(0, 2_000)),
            fc.string({
              unit: fc.constantFrom('一', '百', '万', '亿', '年', '项', '组', '1', ' ', '名', '称', '不', '最', '高'),
              minLength: 1_500,
              maxLength: 2_000,
            }),
          )
          .map(question => ({ question })),
        { most: 15 },
      ),
  },
  {
    name: 'the loop of retrieval, by searches',
    sends: 'searches of five hundred characters that resemble everything',
    waves: noisy =>
      queries(
        noisy,
        fc
          .oneof(
            fc.constantFrom('名称', '名 称 ', '名称1 ', 'xxxx ', 'mingcheng').map(text => text.repeat(500).slice(0, 500)),
            fc.string({ unit: fc.constantFrom('名', '称', '1', '2', ' ', 'x'), minLength: 400, maxLength: 500 }),
          )
          .map(search => ({ search })),
        { most: 15 },
      ).map(wave => wave.map(ask => ({ ...ask, body: { ...(ask.body as object), limit: 200 } }))),
  },
  {
    name: 'the planner',
    sends: 'patterns of up to two hundred nodes, chained or side by side, and deep expressions',
    waves: noisy =>
      queries(
        noisy,
        cypher(
          fc.oneof(
            fc
              .record({ nodes: fc.constantFrom(20, 60, 200, 400), joined: fc.boolean() })
              .map(({ nodes, joined }) => `MATCH ${chain(nodes, joined)} RETURN count(*) AS n`),
            fc.constantFrom(100, 1_000, 3_000).map(depth => `MATCH (a:项) WHERE ${deep(depth, '(', ')')} = 1 RETURN count(a) AS n`),
            fc
              .constantFrom(100, 1_000)
              .map(
                terms =>
                  `MATCH (a:项) WHERE ${Array.from({ length: terms }, (_, index) => `a.编号 = ${index}`).join(' OR ')} RETURN count(a) AS n`,
              ),
            fc.constantFrom(5, 12).map(hops => `MATCH (a:项)-[:属于*1..${hops}]->(b:项) RETURN count(*) AS n`),
          ),
        ),
      ),
  },
  {
    name: 'stored answers',
    sends: 'different questions with answers of megabytes, all of them stored',
    waves: noisy =>
      fc
        .array(fc.record({ rows: fc.integer({ min: 500, max: 3_000 }), skip: fc.integer({ min: 0, max: 3_000 }) }), {
          minLength: 8,
          maxLength: 12,
        })
        .map(asks =>
          asks.map(({ rows, skip }) => ({
            path: `/graphs/${noisy.graphId}/query`,
            body: { cypher: `MATCH (a:项) WHERE a.编号 >= ${skip} RETURN a.长文 AS t LIMIT ${rows}`, limit: 10_000 },
          })),
        ),
  },
];
