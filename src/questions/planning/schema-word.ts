import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { isAgentNoun, isVerbForm } from '../linking/word-roots.js';

/** A word of the question that names a part of the schema, with all parts that the word may name. */
export interface SchemaWord {
  mention: Mention;
  labels: ReadonlySet<string>;
  relations: ReadonlySet<string>;
  properties: MeaningOf<'property'>[];
  /** Set if the word names the nodes at one end of its relation: `owners`. `labels` then has the label of this end. */
  isRole?: true;
}

export function isOnlyRelation({ labels, relations, properties }: SchemaWord): boolean {
  return relations.size > 0 && labels.size + properties.length === 0;
}

const determiner = /^\s+(?:the|an?|his|her|its|their)\s+$/;

/** Leaves out an object that only repeats its verb: `script` in `wrote the script for`, where both name one relation. */
export function withoutRepeatedObjects(text: string, words: SchemaWord[]): SchemaWord[] {
  const repeats = ({ mention, relations }: SchemaWord, verb: SchemaWord | undefined): boolean =>
    verb !== undefined &&
    !isAgentNoun(mention.text) &&
    determiner.test(text.slice(verb.mention.end, mention.start)) &&
    relations.size > 0 &&
    [...relations].every(type => verb.relations.has(type));
  return words.filter((word, i) => !repeats(word, words[i - 1]));
}

/** Whether a word is a verb, which names no label: `coached`, and `coach` in `players who coach`. */
function isVerb(text: string, { text: own, start }: Mention): boolean {
  return isVerbForm(own) || /\bwho (?:(?:has|have|had|also) )?$/.test(text.slice(0, start));
}

/** The schema words among the mentions of a question, in order. A verb names its relation, and a label only if it names no relation. */
export function schemaWords(text: string, mentions: Mention[]): SchemaWord[] {
  return (
    mentions
      // `can you name a film` does not ask for the property `name`.
      .filter(({ text }) => text !== 'name')
      .map(mention => ({
        mention,
        labels: new Set(mention.meanings.flatMap(meaning => (meaning.as === 'label' ? [meaning.label] : []))),
        relations: new Set(mention.meanings.flatMap(meaning => (meaning.as === 'relation' ? [meaning.type] : []))),
        properties: mention.meanings.filter(meaning => meaning.as === 'property'),
      }))
      .map(word => (word.relations.size > 0 && isVerb(text, word.mention) ? { ...word, labels: new Set<string>() } : word))
      .filter(({ labels, relations, properties }) => labels.size + relations.size + properties.length > 0)
  );
}

/** Whether a question only requires that a thing exists: `有母公司的客户`, `customers with a parent company`. */
export function isSaidToExist(text: string, { mention }: SchemaWord): boolean {
  return /(?:(?<![没所还共只])有|\b(?:have|has|having|with) (?:an?|any) )$/.test(text.slice(0, mention.start));
}

/** The word for a label right after a verb, its object: `who manage warehouses`. @param blank the question without its names */
export function objectOf(
  blank: string,
  { mention, labels, relations }: SchemaWord,
  words: SchemaWord[],
  asked: SchemaWord | null,
): SchemaWord | undefined {
  if (labels.size > 0 || relations.size === 0) return undefined;
  const follows = (other: Mention): boolean =>
    other.start >= mention.end && /^\s*(?:(?:the|an?|any) )?$/.test(blank.slice(mention.end, other.start));
  return words.find(word => word !== asked && word.labels.size > 0 && follows(word.mention));
}

/** The words for the kind of a thing that has one of some labels: `museum` in `from the museum Louvre`. */
export function kindsOf(labels: readonly string[], words: readonly SchemaWord[]): Mention[] {
  return words.filter(word => labels.some(label => word.labels.has(label))).map(({ mention }) => mention);
}

/** The words for what is asked for, with those that "of" joins to them: both nouns of `transfers of books from A`. */
export function nounsOf(text: string, asked: readonly Mention[], words: readonly SchemaWord[]): Mention[] {
  // `loans of` may be one mention, if it also names a relation `loan_of`.
  const isOfAsked = ({ start: at }: Mention): boolean =>
    asked.some(
      ({ start, end }) => /^\s+(?:of\s+)?(?:the\s+)?$/.test(text.slice(end, at)) && /\sof\s+(?:the\s+)?$/.test(text.slice(start, at)),
    );
  return [...asked, ...words.filter(({ labels, mention }) => labels.size > 0 && isOfAsked(mention)).map(({ mention }) => mention)];
}
