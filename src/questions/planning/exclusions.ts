import { type Bilingual } from '../../text/bilingual.js';
import { type Anchor, groupAnchors, isOneOfTerms } from './anchors.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { notHappened } from './happened.js';
import { dateOfEvent } from './label-dates.js';
import { type NegatedPart, notUnderstoodHere } from './negated-parts.js';
import { type PathPart, type ReadingContext } from './path-part.js';
import { closeReadings, type PathReading } from './read-path.js';
import { describePath, type Hop, isComplete, leadsToOne, pathsFrom, reversed } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';
import { outward } from './self-relations.js';
import { doerOf, endsWithPronoun } from './shared-verbs.js';

/** Excludes what a question denies from its pattern. */
export class Exclusions {
  constructor(
    private readonly context: ReadingContext,
    private readonly part: PathPart,
    private readonly attached: Map<Anchor, PathReading>,
    private readonly read: (anchor: Anchor, words: SchemaWord[], to: string) => Promise<PathReading[]>,
    private readonly notes: Bilingual[],
  ) {}

  /** Excludes the nodes from which a path leads to one of the denied things. */
  ofAnchor(writer: CypherWriter, anchor: Anchor, label: string, way: Hop[], from: string): void {
    const { schema, entities } = this.context;
    const conditionOf = (variable: string): string => isOneOfTerms(writer, variable, label, anchor.terms, schema, entities);
    if (way.length > 0 && leadsToOne(way, schema.toOne) && isComplete(way, schema)) {
      // The path leads from each node to exactly one node, so MATCH loses no node, and the rows behind the answer are known.
      writer.where(`NOT (${conditionOf(writer.addPath(way, from))})`);
      return;
    }
    if (way.length > 0) {
      writer.where(`NOT ${writer.exists(way, from, conditionOf)}`);
      if (!isComplete(way, schema))
        this.notes.push({
          zh: `没有 ${describePath(way)} 的“${way[0]?.from ?? ''}”也计入`,
          en: `"${way[0]?.from ?? ''}" without ${describePath(way)} is included`,
        });
      return;
    }
    const isValue = anchor.terms.some(term => 'values' in term);
    const property = isValue ? conditionOf(from) : null;
    writer.where(property === null ? `NOT (${conditionOf(from)})` : `coalesce(NOT (${property}), true)`);
  }

  /** Excludes target nodes from which a denied path leads: `没有下过订单的客户`. */
  async ofPart(writer: CypherWriter, { words, terms, excluded, mention }: NegatedPart): Promise<void> {
    if (excluded.size > 0) return;
    const { schema, entities, terms: question } = this.context;
    const [anchor, ...more] = groupAnchors({ ...question, entities: question.entities.filter(term => terms.includes(term)), values: question.values.filter(term => terms.includes(term)) }); // prettier-ignore
    if (more.length > 0) throw notUnderstoodHere(mention);
    if (anchor) {
      const readings = await this.read(anchor, words, writer.target);
      const [best] = readings;
      if (!best || best.unused.length > 0) throw notUnderstoodHere(mention);
      this.context.choices.requireOne(closeReadings(readings), anchor);
      if (best.unnamed > 0) this.notes.push(alongPath(best.hops));
      this.ofAnchor(writer, anchor, best.start, reversed(best.hops), 't');
      return;
    }
    const [word, ...others] = words;
    const label = schema.labels.find(({ name }) => name === writer.target);
    const date = word && others.length === 0 && dateOfEvent(label, word.mention);
    if (date) {
      writer.where(notHappened(writer, 't', date, question.today));
      return;
    }
    const own = word?.properties.find(({ owner, ownerName }) => owner === 'node' && ownerName === writer.target);
    if (word && own && word.labels.size + word.relations.size === 0) {
      // "Without a stock" may mean a missing value or 0, so numbers are refused. "Without a phone" means a missing value.
      if (others.length > 0 || !/^(?:string|date|datetime|localdatetime)$/.test(own.type)) throw notUnderstoodHere(mention);
      writer.where(`t.${quoteName(own.property)} IS NULL`);
      return;
    }
    if (words.some(({ properties }) => properties.length > 0)) throw notUnderstoodHere(mention);
    const fits = [...pathsFrom(schema, writer.target)].filter(
      hops => hops.length > 0 && words.every(({ labels, relations }) => hops.some(hop => labels.has(hop.to) || relations.has(hop.type))),
    );
    const shortest = outward(
      fits.filter(hops => hops.length === fits[0]?.length),
      hops => hops,
      words,
      this.context.terms.text,
      schema,
    );
    const [way] = shortest;
    if (!way || shortest.length > 1 || words.length === 0 || endsWithPronoun(question.text, words)) throw notUnderstoodHere(mention);
    const doer = doerOf(question, this.part.allWords, mention, way, this.attached);
    const isDoer = (end: string): string | null => doer && isOneOfTerms(writer, end, way.at(-1)?.to ?? '', doer.terms, schema, entities);
    writer.where(`NOT ${writer.exists(way, 't', isDoer)}`);
  }
}

/** The note that a question was read along a path that it does not name. */
export function alongPath(hops: Hop[]): Bilingual {
  const way = describePath(hops);
  return { zh: `按路径 ${way} 理解`, en: `Read along the path ${way}` };
}
