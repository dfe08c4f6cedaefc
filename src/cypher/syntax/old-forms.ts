import { type Bilingual, inBoth, type Phrase } from '../../text/bilingual.js';

/** A form that older Cypher or SQL has. `now` says what to write instead; the example is a query that is refused. */
interface OldForm {
  now: Bilingual;
  example: string;
}

const leftOut: Bilingual = { zh: '请去掉它', en: 'leave it out' };

/** Forms of older Cypher or SQL that are refused, by the text that users write. The reference page lists them. */
export const oldForms = {
  '{id}': form('$id', 'MATCH (c:Customer) WHERE c.国家 = {country} RETURN c'),
  '(n {props})': form('(n {name: $name})', 'MATCH (c:Customer {props}) RETURN c'),
  'a-->b': form({ zh: '括号：(a)-->(b)', en: 'parentheses: (a)-->(b)' }, 'MATCH c-->o RETURN c, o'),
  'size((a)-->())': form(
    { zh: 'COUNT { … } 求个数，EXISTS { … } 判断有无', en: 'COUNT { … } for its number, EXISTS { … } for whether it occurs' },
    'MATCH (c:Customer) RETURN size((c)-->())',
  ),
  'has()': form('c.x IS NOT NULL', 'MATCH (c:Customer) WHERE has(c.国家) RETURN c'),
  'rels()': form('relationships()', 'MATCH p = (c:Customer)-[*..2]->() RETURN rels(p)'),
  'toInt()': form('toInteger()', `RETURN toInt('12')`),
  'str()': form('toString()', 'RETURN str(12)'),
  'timestamp()': form('datetime().epochMillis', 'RETURN timestamp()'),
  'filter()': form('[x IN … WHERE …]', 'RETURN filter(x IN [1, 2] WHERE x > 1)'),
  'extract()': form('[x IN … | …]', 'RETURN extract(x IN [1, 2] | x + 1)'),
  START: form('MATCH (n) WHERE id(n) = 1', 'START n = node(1) RETURN n'),
  CYPHER: { now: leftOut, example: 'CYPHER 2.3 MATCH (c:Customer) RETURN c' },
  USING: { now: leftOut, example: 'MATCH (c:Customer) USING SCAN c:Customer RETURN c' },
  '?': form(
    { zh: '$name 作参数，OPTIONAL MATCH 表示可有可无', en: '$name for a parameter, OPTIONAL MATCH for what may be missing' },
    'MATCH (c:Customer)-[r?:PLACED]->(o) RETURN o',
  ),
  '!=': form('<>', `MATCH (c:Customer) WHERE c.国家 != '法国' RETURN c`),
  '==': form('=', `MATCH (c:Customer) WHERE c.国家 == '法国' RETURN c`),
  '&&': form('AND', `MATCH (c:Customer) WHERE c.国家 = '法国' && true RETURN c`),
  LIKE: form({ zh: 'CONTAINS、STARTS WITH 或 ENDS WITH', en: 'CONTAINS, STARTS WITH or ENDS WITH' }, `MATCH (c:Customer) WHERE c.国家 LIKE '法%' RETURN c`), // prettier-ignore
  GROUP: {
    now: { zh: '请去掉 GROUP BY：聚合旁的列就是分组', en: 'leave GROUP BY out: the columns beside an aggregate are the groups' },
    example: 'MATCH (c:Customer) RETURN c.国家, count(*) GROUP BY c.国家',
  },
} satisfies Record<string, OldForm>;

const byText = new Map<string, OldForm>(Object.entries<OldForm>(oldForms).map(([name, old]) => [name.toLowerCase(), old]));

/** The hint that a refusal appends, such as ` (use AND)`; '' if none of the texts is an old form. The case of letters is ignored. */
export function instead(...written: string[]): Bilingual {
  const old = written.map(text => byText.get(text.toLowerCase())).find(found => found !== undefined);
  return old ? { zh: `（${old.now.zh}）`, en: ` (${old.now.en})` } : { zh: '', en: '' };
}

function form(now: Phrase, example: string): OldForm {
  const { zh, en } = inBoth(now);
  return { now: { zh: `请用 ${zh}`, en: `use ${en}` }, example };
}
