import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type Language } from '../../text/language.js';
import { stemsOf } from '../linking/lexicon.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type Meaning } from '../linking/meaning.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';

/** Names the words that were read by a synonym of the graph's editors. Whoever asks may not know of it, or mean something else. */
export function describeSynonyms(
  { mentions }: LinkedQuestion,
  synonyms: readonly Synonym[],
  entities: ReadonlyMap<number, AnswerNode>,
  metrics: readonly MetricEntry[],
  language: Language,
): string[] {
  if (synonyms.length === 0) return [];
  const read = new Map<string, string>();
  for (const { text, meanings } of mentions) {
    const named = meanings.flatMap(meaning => namesOf(meaning, entities, metrics));
    const isOwn = named.some(({ name }) => keyOf(name) === keyOf(text));
    const used = isOwn
      ? undefined
      : synonyms.find(
          ({ kind, name, synonym }) =>
            formsOf(synonym).some(form => formsOf(text).includes(form)) &&
            named.some(each => each.kind === kind && keyOf(each.name) === keyOf(name)),
        );
    if (used) read.set(text, used.name);
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

const formsOf = (text: string): string[] => [keyOf(text), stemsOf(keyOf(text))];

const keyOf = (text: string): string => compactText(normalizeText(text.replaceAll('_', ' ')));
