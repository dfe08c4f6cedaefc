import { type Pace } from '../common/turns/pace.js';
import { type GramIndex, textsContaining, textsNear } from './gram-index.js';
import { type GroupedNumbers } from './grouped-numbers.js';
import { countOf, lengthAt, placeOfText, rangeOfPrefix, type SortedTexts } from './sorted-texts.js';

/**
 * How a node fits a search, the best last. Ranks are compared before scores. A name with one character more than the search, or with two
 * neighbours swapped, is a likelier reading than one with another character: few names are as near in this way.
 */
export const ranks = {
  part: 1,
  initials: 2,
  twoEdits: 3,
  pinyin: 4,
  corrected: 5,
  insideWord: 6,
  oneEdit: 7,
  slip: 8,
  all: 9,
  contains: 10,
  containsWord: 11,
  begins: 12,
  key: 13,
  /** Exactly the search without the names of labels. */
  named: 14,
  exact: 15,
} as const;

export interface NameTables {
  names: GramIndex;
  pinyin: { texts: SortedTexts; names: GroupedNumbers };
}

/** The names that fit a search as a whole. */
export interface NameMatches {
  /** The ranks of names, apart from those that begin like the search. */
  byName: Map<number, number>;
  /** The first name that begins like the search, and the one behind the last. */
  range: [number, number];
  exact: ReadonlySet<number>;
}

/** With so many better names nobody looks for those that are spelled nearly like the search. */
const enough = 10;
/**
 * Lengths of the shortest texts that may have one error, and two. A text of two wide units may only lack a third, or have the two swapped.
 * Near names of a text of three narrow units rank below names that contain it.
 */
const [shortestNear, shortestTwoEdits] = [3, 8];
/** The shortest text that is looked for inside of words. */
const shortestInside = 3;
const mostSounding = 1_000;
const firstWide = 0x2e80;

/** @param asked the whole text, and the text without names of labels if that is another one; the last is searched for */
export async function matchNames({ names, pinyin }: NameTables, asked: string[], pace: Pace): Promise<NameMatches> {
  const { texts } = names;
  // Names of punctuation only are all kept as ''.
  const exact = new Set(
    asked
      .filter(name => name !== '')
      .map(name => placeOfText(texts, name))
      .filter(place => place >= 0),
  );
  const text = asked.at(-1)!;
  const byName = new Map<number, number>();
  const offer = (name: number, rank: number): void => {
    if (rank > (byName.get(name) ?? 0)) byName.set(name, rank);
  };
  for (const name of exact) offer(name, name === placeOfText(texts, asked[0]!) ? ranks.exact : ranks.named);
  if (text === '') return { byName, range: [0, 0], exact };
  const range = rangeOfPrefix(texts, text);
  const isWide = [...text].every(character => character.charCodeAt(0) >= firstWide);
  const containing = text.length >= (isWide ? 2 : shortestInside) ? ((await textsContaining(names, text, pace)) ?? []) : [];
  let better = range[1] - range[0];
  for (const name of containing) {
    const rank = isWide ? ranks.contains : isAtWord(texts, name, text) ? ranks.containsWord : ranks.insideWord;
    if (rank !== ranks.insideWord || text.length === shortestInside) better++;
    offer(name, rank);
  }
  for (const { name, isInitials, isWhole } of soundingLike(pinyin, text))
    offer(name, isWhole && !isInitials ? ranks.pinyin : ranks.initials);
  if (exact.size > 0 || better >= enough || text.length < (isWide ? 2 : shortestNear)) return { byName, range, exact };
  const isShort = isWide ? text.length < shortestNear : text.length === shortestInside;
  const near = await textsNear(names, text, 1, pace);
  for (const name of near.keys()) {
    const isSlip = lengthAt(texts, name) > text.length || isSwapped(texts, name, text);
    if (isWide && isShort && !isSlip) continue;
    offer(name, isShort && !isWide ? ranks.corrected : isSlip ? ranks.slip : ranks.oneEdit);
  }
  if (near.size === 0 && text.length >= shortestTwoEdits)
    for (const name of (await textsNear(names, text, 2, pace)).keys()) offer(name, ranks.twoEdits);
  return { byName, range, exact };
}

/** Whether two neighbours are all that differs. */
function isSwapped({ units, offsets }: SortedTexts, name: number, text: string): boolean {
  const [start, end] = [offsets[name]!, offsets[name + 1]!];
  let different = 0;
  for (let i = 0; i < text.length; i++) if (units[start + i] !== text.charCodeAt(i)) different++;
  return end - start === text.length && different === 2;
}

/** Whether the part begins a word of the name. */
function isAtWord({ units, offsets }: SortedTexts, name: number, part: string): boolean {
  const last = offsets[name + 1]! - part.length;
  for (let start = offsets[name]! + 1; start <= last; start++) {
    if (units[start - 1] !== 32) continue;
    let i = 0;
    while (i < part.length && units[start + i] === part.charCodeAt(i)) i++;
    if (i === part.length) return true;
  }
  return false;
}

/** Names that are typed like this by their sound, or begin so. */
function* soundingLike(
  { texts, names }: NameTables['pinyin'],
  text: string,
): Iterable<{ name: number; isInitials: boolean; isWhole: boolean }> {
  const sound = text.replaceAll(' ', '');
  if (sound.length < 2 || countOf(texts) === 0 || !/^[a-z]/.test(sound)) return;
  const [from, to] = rangeOfPrefix(texts, sound);
  let given = 0;
  for (let reading = from; reading < to; reading++) {
    const isWhole = lengthAt(texts, reading) === sound.length;
    for (let i = names.offsets[reading]!; i < names.offsets[reading + 1]!; i++) {
      if (given++ === mostSounding) return;
      const isInitials = (names.numbers[i]! & 1) === 1;
      // The beginning of initials says nothing.
      if (isWhole || !isInitials) yield { name: names.numbers[i]! >>> 1, isInitials, isWhole };
    }
  }
}
