import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type Bilingual } from '../../text/bilingual.js';
import { nearestFirst } from '../../text/nearest-name.js';
import { findIntents } from '../linking/find-intents.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { intentsOf, meaningOf } from '../linking/meaning.js';
import { findMetricWords } from '../linking/metric-words.js';
import { isNumeric } from '../linking/numerals.js';
import { questionWordsIn } from '../linking/question-words.js';
import { isStopWord } from '../linking/stop-words.js';
import { type SynonymKind } from '../vocabulary.js';

interface Name {
  kind: SynonymKind;
  name: string;
}

/** Maximum characters of a word that is offered as a synonym. The lexicon accepts no longer words. */
const longestWord = 64;
/** Maximum words of a question that are looked at. Each is compared with up to 200 names, which takes 10 ms. */
const mostWords = 5;

/**
 * Builds a request, ready to be sent, by which an editor makes an unknown word a synonym of a name. The name is the likeliest one: the name
 * that is spelt like the word, else a property of the label that the question names. Null if no word can be a synonym.
 * @param isValue whether a word is a value of the graph
 */
export function lexiconRequest(
  missed: readonly string[],
  linked: LinkedQuestion,
  { graphId, schema, isValue }: { graphId: number; schema: GraphSchema; isValue: (word: string) => boolean },
): Bilingual | null {
  const names = namesNear(linked, schema);
  const kinds = new Map<string, SynonymKind>();
  for (const { name, kind } of names) if (!kinds.has(name)) kinds.set(name, kind);
  for (const word of [...new Set(missed)].filter(isSpelt).slice(0, mostWords)) {
    if (!mayBeSynonym(word) || beginsWithValue(word, isValue)) continue;
    const [name] = nearestFirst(word, [...kinds.keys()]);
    const kind = name === undefined ? undefined : kinds.get(name);
    if (kind === undefined || name === undefined || questionWordsIn(normalizeText(word), kind) !== null) continue;
    const request = `POST /api/graphs/${graphId}/lexicon ${JSON.stringify({ entries: [{ kind, name, synonyms: [word] }] })}`;
    return {
      zh: `如果“${word}”是图中某个名称的另一种说法，编辑者可以添加同义词（把 name 换成所指的名称）：${request}`,
      en: `If "${word}" is another word for a name of the graph, an editor can add it as a synonym (put the meant name in "name"): ${request}`,
    };
  }
  return null;
}

/** Whether a Chinese word is a value with a further character, and no name of something: 清朝, if 清 is a value. */
function beginsWithValue(word: string, isValue: (part: string) => boolean): boolean {
  return /^\p{Script=Han}{2,4}$/u.test(word) && isValue(normalizeText(word.slice(0, -1)));
}

function isSpelt(word: string): boolean {
  return word.length <= longestWord && /^\p{L}[\p{L}\p{M} '’-]*$/u.test(word);
}

/** Whether a word may be a synonym of some name, because it is not a word of questions. */
function mayBeSynonym(word: string): boolean {
  const text = normalizeText(word);
  if (isStopWord(text)) return false;
  return [...findIntents(text), ...findMetricWords(text)].every(found => found.text !== text);
}

/** The names that an unknown word of a question may mean, the likeliest first. */
function namesNear({ mentions }: LinkedQuestion, { labels, edges }: GraphSchema): Name[] {
  const named = new Set(
    mentions.flatMap(mention => meaningOf(mention, 'label')?.label ?? meaningOf(mention, 'entity')?.nodes.map(({ label }) => label) ?? []),
  );
  const taken = new Set(
    mentions.flatMap(({ meanings }) => meanings.flatMap(meaning => (meaning.as === 'property' ? meaning.property : []))),
  );
  const first = [...labels].sort((a, b) => Number(named.has(b.name)) - Number(named.has(a.name)));
  // 价钱最高的 asks for a number, so numeric properties come first.
  const isMeasured = mentions.some(
    mention => intentsOf(mention, 'top') ?? intentsOf(mention, 'compare') ?? intentsOf(mention, 'aggregate'),
  );
  const properties = first.flatMap(({ properties: own, keyProperties, displayProperty, name: label }) =>
    own
      .filter(({ name }) => named.has(label) && !taken.has(name) && !keyProperties.includes(name) && name !== displayProperty)
      .sort((a, b) => (isMeasured ? Number(isNumeric(b.type)) - Number(isNumeric(a.type)) : 0))
      .map(({ name }): Name => ({ kind: 'property', name })),
  );
  return [
    ...properties,
    ...first.map(({ name }): Name => ({ kind: 'label', name })),
    ...edges.map(({ type }): Name => ({ kind: 'relation', name: type })),
  ];
}
