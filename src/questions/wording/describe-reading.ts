import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type LinkedTerm, type MetricEntry } from '../vocabulary.js';

/** The terms of a question, and the meaning with which each term was read. */
export function describeTerms(
  { mentions }: LinkedQuestion,
  entities: ReadonlyMap<number, AnswerNode>,
  metrics: MetricEntry[],
): LinkedTerm[] {
  return mentions.map(({ text, meanings }) => {
    const meaning = meanings[0];
    switch (meaning?.as) {
      case 'label':
        return { text, as: 'label', name: meaning.label };
      case 'relation':
        return { text, as: 'relation', name: meaning.type };
      case 'property':
        return { text, as: 'property', name: meaning.property };
      case 'metric':
        return { text, as: 'metric', name: metrics.find(metric => metric.id === meaning.metricId)?.name ?? '' };
      case 'dimension':
        return { text, as: 'dimension', name: meaning.dimension };
      case 'entity':
        return { text, as: 'entity', name: (!meaning.isSet && entities.get(meaning.nodes[0]?.id ?? -1)?.display) || text };
      case 'value':
        return { text, as: 'property', name: `${meaning.property} = ${meaning.value}` };
      case 'time':
        return { text, as: 'time', name: `${meaning.span.from}/${meaning.span.isOpen ? '..' : meaning.span.to}` };
      case 'measure':
        return { text, as: 'intent', name: meaning.word.kind };
      case 'intent':
      case undefined:
        return { text, as: 'intent', name: meaning?.intent.kind ?? '' };
      default:
        return meaning satisfies never;
    }
  });
}

/** Sentences that name the words which were read as something other than they literally say, or were not understood at all. */
export function describeGuesses(
  { mentions, unknown }: LinkedQuestion,
  entities: ReadonlyMap<number, AnswerNode>,
  language: Language,
): string[] {
  const zh = language === 'zh';
  const guesses = mentions.flatMap(({ text, meanings }) => {
    const entity = meanings.find(meaning => meaning.as === 'entity');
    if (entity?.approximate !== true) return [];
    const names = [...new Set(entity.nodes.map(node => entities.get(node.id)?.display ?? ''))].slice(0, 3).join(zh ? '、' : ', ');
    return [zh ? `将“${text}”理解为“${names}”` : `"${text}" was taken for "${names}"`];
  });
  if (unknown.length === 0) return guesses;
  return [...guesses, zh ? `未理解的词：${unknown.join('、')}` : `Words that were not understood: ${unknown.join(', ')}`];
}
