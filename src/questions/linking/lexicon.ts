import { type Pace } from '../../common/turns/pace.js';
import { type GraphSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry } from '../vocabulary.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { isAskingWord } from './find-intents.js';
import { type Meaning } from './meaning.js';
import { isStopWord } from './stop-words.js';

/** Maps all names of a graph and its metrics, as normalised text, to their possible meanings. */
export class Lexicon {
  private readonly entries = new Map<string, Meaning[]>();
  /** Name and meaning together, to find duplicates fast: a name that a thousand labels share would take a million comparisons. */
  private readonly known = new Set<string>();

  private constructor() {}

  static async build(schema: GraphSchema, metrics: MetricEntry[], pace: Pace): Promise<Lexicon> {
    const lexicon = new Lexicon();
    await lexicon.fill(schema, metrics, pace);
    lexicon.known.clear();
    return lexicon;
  }

  /** Finds the meanings of a stretch of normalised text. English words match in their other forms too (`suppliers`, `supplied`). */
  find(normalized: string): Meaning[] {
    const name = compactText(normalized);
    return this.entries.get(name) ?? this.entries.get(stemWords(name)) ?? [];
  }

  private async fill(schema: GraphSchema, metrics: MetricEntry[], pace: Pace): Promise<void> {
    for (const label of schema.labels) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [label.name, ...label.aliases]) this.add(name, { as: 'label', label: label.name });
      for (const property of label.properties) this.addProperty('node', label.name, property);
    }
    for (const edge of schema.edges) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [edge.type, ...edge.aliases]) this.add(name, { as: 'relation', type: edge.type });
      for (const property of edge.properties) this.addProperty('edge', edge.type, property);
    }
    for (const metric of metrics) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [metric.name, ...metric.aliases]) this.add(name, { as: 'metric', metricId: metric.id });
      for (const dimension of metric.dimensions) {
        for (const name of [dimension.name, ...dimension.aliases])
          this.add(name, { as: 'dimension', metricId: metric.id, dimension: dimension.name });
      }
    }
  }

  private addProperty(owner: 'node' | 'edge', ownerName: string, { name, type, column, aliases = [] }: PropertySchema): void {
    const meaning: Meaning = { as: 'property', owner, ownerName, property: name, type };
    for (const own of [name, ...aliases]) this.add(own, meaning);
    // A column is often the English name of a Chinese property.
    if (column !== undefined && column !== name) this.add(column, meaning);
  }

  private add(name: string, meaning: Meaning): void {
    const normalized = compactText(normalizeText(name.replaceAll('_', ' ')));
    if (normalized === '') return;
    for (const key of new Set([normalized, stemWords(normalized)])) {
      const id = JSON.stringify([key, meaning]);
      if (this.known.has(id)) continue;
      this.known.add(id);
      const meanings = this.entries.get(key);
      if (meanings) meanings.push(meaning);
      else this.entries.set(key, [meaning]);
    }
  }
}

/**
 * Cuts common English endings, so that forms of a word agree. It is crude, but both sides get the same treatment. A word of
 * questions is never a form of a name: `note` is not `not`.
 */
export function stemWords(text: string): string {
  return text
    .split(' ')
    .map(word => {
      if (!/^[a-z]{4,}$/.test(word) || isAskingWord(word)) return word;
      const stems = [stemWord(word), word.replace(/s$/, '')];
      return stems.find(stem => !isAskingWord(stem) && !isStopWord(stem)) ?? word;
    })
    .join(' ');
}

function stemWord(word: string): string {
  if (/(?:ies|ied)$/.test(word)) return `${word.slice(0, -3)}y`;
  const cut = word.replace(/(?:ings?|ers|ed|es|s|e)$/, match => (match === 'ers' ? 'er' : ''));
  return cut.length >= 3 ? cut : word;
}
