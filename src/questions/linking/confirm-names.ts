import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { normalizeText } from '../../graph-index/tokenize-text.js';
import { editDistance } from '../../text/edit-distance.js';
import { type LinkedQuestion } from './link-question.js';
import { type EntityNode, type Meaning, type Mention } from './meaning.js';
import { signOf } from './signed-names.js';

/** A misspelt name may have one wrong letter for every six of its letters. */
const lettersPerError = 6;

/**
 * Keeps only nodes whose names look like the words of the question. A part of a name must begin the name or be at least half of it, and
 * a misspelt name must be near. If the question gives a name exactly as one node has it, only this node is meant. A mention without a
 * node or another meaning becomes an unknown word.
 */
export function confirmNames(question: string, linked: LinkedQuestion, entities: ReadonlyMap<number, AnswerNode>): LinkedQuestion {
  const unknown = [...linked.unknown];
  const written = question.length === linked.text.length ? question : null;
  const mentions = linked.mentions.flatMap((mention): Mention[] => {
    const meanings = mention.meanings.flatMap((meaning): Meaning[] => {
      if (meaning.as !== 'entity') return [meaning];
      const nodes = meaning.approximate
        ? isOfLongerName(written, mention, linked.mentions)
          ? []
          : nearest(mention.text, meaning.nodes, entities)
        : asWritten(written, mention, meaning.nodes, entities);
      return nodes.length > 0 ? [{ ...meaning, nodes }] : [];
    });
    if (meanings.length === 0) unknown.push(mention.text);
    return meanings.length > 0 ? [{ ...mention, meanings }] : [];
  });
  return { ...linked, mentions, unknown };
}

/**
 * The nodes of a mention whose name is letter by letter what was written. The longest name wins in each label: `Help!` before `Help`. If no
 * name fits, all nodes of the label stay. `C++` is not `C`. A mark that ends the question (`?`, `.`, `？`, `。`, `！`) is not part of a name,
 * but an ASCII `!` at the end may be.
 */
function asWritten(
  written: string | null,
  { text, start, end }: Mention,
  nodes: EntityNode[],
  entities: ReadonlyMap<number, AnswerNode>,
): EntityNode[] {
  const sign = signOf(text);
  if (sign !== '') return nodes.filter(({ id }) => namesOf(entities.get(id)).some(name => signOf(name) === sign));
  if (written === null) return nodes;
  let last = written.length;
  while (last > 0 && /[?？。.！\s]/.test(written[last - 1]!)) last--;
  const mostEnd = Math.max(end, last);
  const lengths = nodes.map(({ id }) => {
    const names = namesOf(entities.get(id)).filter(name => written.startsWith(name, start));
    return Math.max(0, ...names.map(name => name.length).filter(length => start + length >= end && start + length <= mostEnd));
  });
  const longest = new Map<string, number>();
  for (const [i, { label }] of nodes.entries()) longest.set(label, Math.max(longest.get(label) ?? 0, lengths[i]!));
  return nodes.filter(({ label }, i) => lengths[i] === longest.get(label));
}

function namesOf(node: AnswerNode | undefined): string[] {
  return node ? [node.display, node.key] : [];
}

/** The nodes whose names are near to a text, and beside them those that have the text as one of their words: Stone House and Ann Stone. */
function nearest(text: string, nodes: EntityNode[], entities: ReadonlyMap<number, AnswerNode>): EntityNode[] {
  const near = nodes.filter(({ id }) => isNear(text, entities.get(id)));
  if (near.length === 0) return [];
  const hasWord = ({ id }: EntityNode): boolean => namesOf(entities.get(id)).some(name => ` ${normalizeText(name)} `.includes(` ${text} `));
  return near.some(hasWord) ? nodes.filter(node => near.includes(node) || hasWord(node)) : near;
}

/** Matches a word with a capital letter inside a sentence that `of` joins to the next word. */
const beginsName = /\p{Ll}\p{P}? (?:the |The )?(\p{Lu}[\p{L}’'-]*) (?:of|de) (?:the |The )?$/u;

/**
 * Whether a text is only the end of a longer name, which no node has: `Rivers` in `artifacts in the Museum of Rivers`, but not in
 * `the Tier of Rivers`, if the graph has tiers.
 */
function isOfLongerName(written: string | null, { start }: Mention, mentions: readonly Mention[]): boolean {
  const first = written === null || !/^\p{Lu}/u.test(written.slice(start)) ? null : beginsName.exec(written.slice(0, start));
  if (!first) return false;
  const from = first.index + first[0].indexOf(first[1]!);
  // A plural counts things, and begins no name: `the Books of Austen`.
  const isPlural = first[1]!.endsWith('s');
  return !mentions.some(
    ({ start: at, meanings }) =>
      at === from && meanings.some(({ as }) => as === 'property' || as === 'relation' || (isPlural && as === 'label')),
  );
}

function isNear(text: string, node: AnswerNode | undefined): boolean {
  return namesOf(node).some(name => {
    const normalized = normalizeText(name);
    if (normalized.startsWith(text) || (normalized.includes(text) && text.length * 2 >= normalized.length)) return true;
    const most = Math.floor(normalized.length / lettersPerError);
    return most > 0 && (editDistance(text, normalized, most) <= most || editDistance(text, normalized.slice(0, text.length), most) <= most);
  });
}
