import { type MeaningOf, type Mention } from '../linking/meaning.js';

/** A word of the question that names a part of the schema, with all that it may name. */
export interface SchemaWord {
  mention: Mention;
  labels: ReadonlySet<string>;
  relations: ReadonlySet<string>;
  properties: MeaningOf<'property'>[];
}

/** The schema words among the mentions of a question, in order. */
export function schemaWords(mentions: Mention[]): SchemaWord[] {
  return (
    mentions
      // `can you name a film` asks for no property.
      .filter(({ text }) => text !== 'name')
      .map(mention => ({
        mention,
        labels: new Set(mention.meanings.flatMap(meaning => (meaning.as === 'label' ? [meaning.label] : []))),
        relations: new Set(mention.meanings.flatMap(meaning => (meaning.as === 'relation' ? [meaning.type] : []))),
        properties: mention.meanings.filter(meaning => meaning.as === 'property'),
      }))
      .filter(({ labels, relations, properties }) => labels.size + relations.size + properties.length > 0)
  );
}
