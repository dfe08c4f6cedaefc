import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type Language } from '../../text/language.js';
import { stemsOf } from '../linking/lexicon.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type Meaning } from '../linking/meaning.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';

/** Names the words that were read by a synonym from the graph's editors. A user may not know the synonym, or may mean something else. */
export function describeSynonyms(
  { mentions }: LinkedQuestion,
  synonyms: readonly Synonym[],
  entities: ReadonlyMap<number, AnswerNode>,
  metrics: readonly MetricEntry[],
  language: Language,
): string[] {
  if (synonyms.length === 0) return [];
  const nameOf = new Map<string, string>();
  const forms = new Set<string>();
  for (const { kind, name, synonym } of synonyms) {
    for (const form of formsOf(synonym)) {
      forms.add(form);
      const pair = keyOfPair(form, kind, keyOf(name));
      if (!nameOf.has(pair)) nameOf.set(pair, name);
    }
  }
  const read = new Map<string, string>();
  for (const { text, meanings } of mentions) {
    const own = [...formsOf(text)].filter(form => forms.has(form));
    if (own.length === 0 || read.has(text)) continue;
    const named = meanings.flatMap(meaning => namesOf(meaning, entities, metrics)).map(({ kind, name }) => ({ kind, key: keyOf(name) }));
    const ownKey = keyOf(text);
    if (named.some(({ key }) => key === ownKey)) continue;
    const pairs = own.flatMap(form => named.map(({ kind, key }) => keyOfPair(form, kind, key)));
    const used = pairs.map(pair => nameOf.get(pair)).find(name => name !== undefined);
    if (used !== undefined) read.set(text, used);
  }
  return [...read].map(([text, name]) =>
    language === 'zh' ? `将“${text}”理解为“${name}”（同义词）` : `"${text}" was read as "${name}" (synonym)`,
  );
}

function namesOf(
  meaning: Meaning,
  entities: ReadonlyMap<number, AnswerNode>,
  metrics: readonly MetricEntry[],
): Pick<Synonym, 'kind' | 'name'>[] {
  switch (meaning.as) {
    case 'label':
      return [{ kind: 'label', name: meaning.label }];
    case 'relation':
      return [{ kind: 'relation', name: meaning.type }];
    case 'property':
      return [{ kind: 'property', name: meaning.property }];
    case 'metric':
      return metrics.filter(({ id }) => id === meaning.metricId).map(({ name }) => ({ kind: 'metric', name }));
    case 'dimension':
      return [{ kind: 'dimension', name: meaning.dimension }];
    case 'entity':
      return meaning.nodes.flatMap(({ id }) => {
        const node = entities.get(id);
        return node ? [node.display, node.key].map(name => ({ kind: 'name' as const, name })) : [];
      });
    case 'value':
      return [{ kind: 'name', name: meaning.value }];
    case 'time':
    case 'intent':
    case 'measure':
      return [];
    default:
      return meaning satisfies never;
  }
}

const formsOf = (text: string): Set<string> => new Set([keyOf(text), stemsOf(keyOf(text))]);

const keyOfPair = (form: string, kind: string, key: string): string => JSON.stringify([form, kind, key]);

const keyOf = (text: string): string => compactText(normalizeText(text.replaceAll('_', ' ')));
