import { isAgentNoun } from '../linking/word-roots.js';
import { type Hop } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** A path that a question may mean, from the label of its topic to the label of its target. */
export interface Candidate {
  start: string;
  hops: Hop[];
}

/** The words of a question, in the order in which a path from the topic to the target would meet the words. */
export interface Clues {
  words: SchemaWord[];
  /** The word for a label that stands beside the topic and names the kind of the topic: `the movie Heat`. */
  ofTopic: SchemaWord | null;
  /** The word for the target, with which the path must end: the last of `words`. Null if no word names the target. */
  asked: SchemaWord | null;
  /** The word for a relation beside `share`, `same` or `同`. The path follows this relation there and back. */
  shared: SchemaWord | null;
  /** Whether a noun for the relation of the last hop may name the label at its end: `director` names a person, not a film. */
  namesEnd: (word: SchemaWord, last: Hop) => boolean;
}

export interface Score {
  score: number;
  /** The words that have no place on the path. */
  unused: SchemaWord[];
  /** The number of hops for which no word names the relation, nor the label at its end. */
  unnamed: number;
}

const gains = { relation: 3, relationPart: 2.9, sameRelation: 0.8, topic: 0.5, label: 1, asked: 2, property: 3, shared: 1, back: 0.5 };
const costs = {
  unnamed: 1.5,
  unnamedToNamed: 0.6,
  shared: 0.2,
  passedOver: 0.4,
  unusedRelation: 4,
  unusedLabel: 1.2,
  unusedAsked: 6,
  hop: 0.1,
};

/**
 * Computes how well a path explains the words. The words are laid along the path in order; each word names one relation or one label on the
 * path, or nothing. The score is that of the best alignment of words and path (as in Needleman & Wunsch 1970).
 */
export function scorePath({ start, hops }: Candidate, { words, ofTopic, asked, shared, namesEnd }: Clues): Score {
  const slots = 2 * hops.length + 1;
  const best = new Map<number, Score>();
  const isShared = (hop: number): boolean => {
    const [before, own, after] = [hops[hop - 1], hops[hop], hops[hop + 1]];
    return own !== undefined && (shared?.relations.has(own.type) ?? false) && (undoes(before, own) || undoes(own, after));
  };

  /**
   * The best score of the words from `at` on, on the path from `slot` on. `used`: the slot has a word. `named`: the relation before it has
   * one.
   */
  function from(slot: number, at: number, used: boolean, named: boolean): Score {
    const key = ((slot * (words.length + 1) + at) * 2 + Number(used)) * 2 + Number(named);
    const known = best.get(key);
    if (known) return known;
    const options: Score[] = [];
    const word = words[at];
    if (slot + 1 < slots || word === undefined) options.push(leave(slot, at, used, named));
    if (word) {
      const gain = gainOf(word, slot, used);
      if (gain > 0) options.push(plus(gain, from(slot, at + 1, true, named || (slot % 2 === 0 && namesHop(word, slot)))));
      options.push(without(word, from(slot, at + 1, used, named)));
    }
    const result = options.reduce((a, b) => (b.score > a.score ? b : a));
    best.set(key, result);
    return result;
  }

  function leave(slot: number, at: number, used: boolean, named: boolean): Score {
    const rest = (): Score => (slot + 1 < slots ? from(slot + 1, at, false, slot % 2 === 1 && used) : { score: 0, unused: [], unnamed: 0 });
    if (slot % 2 === 1 || slot === 0) return rest();
    const hop = slot / 2 - 1;
    if (isShared(hop)) return named ? rest() : plus(-costs.shared, rest());
    const passedOver = used || slot === slots - 1 ? 0 : costs.passedOver;
    if (named) return plus(-passedOver, rest());
    const after = rest();
    // `who acted in films for the director of X`: the path goes to the director and back by one relation, which a noun for a role names.
    const back = undoes(hops[hop - 1], hops[hop]) && isRole(hops[hop]) ? gains.back : 0;
    if (used) return plus(back - costs.unnamedToNamed, after);
    return { ...plus(back - costs.unnamed - passedOver, after), unnamed: after.unnamed + 1 };
  }

  function gainOf(word: SchemaWord, slot: number, used: boolean): number {
    const isLast = slot === slots - 1;
    if (word === asked && !isLast) return 0;
    if (slot % 2 === 1) {
      const type = hops[(slot - 1) / 2]?.type ?? '';
      if (!word.relations.has(type)) return 0;
      return used ? gains.sameRelation : isPart(word, type) ? gains.relationPart : gains.relation;
    }
    const label = slot === 0 ? start : (hops[slot / 2 - 1]?.to ?? '');
    if (isLast && ownsProperty(word, label, hops)) return gains.property;
    if (isLast && word === asked && namesHop(word, slot)) return word.labels.has(label) ? gains.asked + gains.relation : gains.relation;
    if (word.labels.has(label)) return isLast && word === asked ? gains.asked : slot === 0 && word !== asked ? gains.topic : gains.label;
    return 0;
  }

  function isRole(hop: Hop | undefined): boolean {
    return hop !== undefined && words.some(({ mention, relations }) => relations.has(hop.type) && isAgentNoun(mention.text));
  }

  /** Whether the asked noun at the end of the path, such as `director`, also names the relation of the last hop. */
  function namesHop(word: SchemaWord, slot: number): boolean {
    return word === asked && slot > 0 && slot === slots - 1 && namesLast(word);
  }

  function namesLast(word: SchemaWord): boolean {
    const last = hops.at(-1);
    return last !== undefined && word.relations.has(last.type) && namesEnd(word, last);
  }

  function without(word: SchemaWord, rest: Score): Score {
    const cost = word === asked ? costs.unusedAsked : word.labels.size > 0 ? costs.unusedLabel : costs.unusedRelation;
    return { ...plus(-cost, rest), unused: [word, ...rest.unused] };
  }

  const own = from(0, 0, false, true);
  const topic = ofTopic?.labels.has(start) ? gains.topic : 0;
  const back = hops.some((_, hop) => isShared(hop)) ? gains.shared : 0;
  return plus(topic + back - hops.length * costs.hop, own);
}

function plus(more: number, { score, unused, unnamed }: Score): Score {
  return { score: score + more, unused, unnamed };
}

/** Whether hop `b` goes back along the relation of hop `a`. */
export function undoes(a: Hop | undefined, b: Hop | undefined): boolean {
  return a !== undefined && b !== undefined && a.type === b.type && a.direction !== b.direction;
}

function isPart(word: SchemaWord, type: string): boolean {
  return word.mention.meanings.some(meaning => meaning.as === 'relation' && meaning.type === type && meaning.part === true);
}

/** Whether a word names a property of the label, or of an edge on the path. */
export function ownsProperty({ properties }: SchemaWord, label: string, hops: Hop[]): boolean {
  return properties.some(({ owner, ownerName }) => (owner === 'node' ? ownerName === label : hops.some(hop => hop.type === ownerName)));
}
