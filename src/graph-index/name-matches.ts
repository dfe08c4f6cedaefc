import { type Pace } from '../common/turns/pace.js';
import { type GramIndex, textsContaining, textsNear } from './gram-index.js';
import { type GroupedNumbers } from './grouped-numbers.js';
import { countOf, lengthAt, placeOfText, rangeOfPrefix, type SortedTexts } from './sorted-texts.js';

/**
 * How a node fits a search, from worst to best. Ranks are compared before scores. A name with one character more than the search, or with
 * two neighbours swapped (`slip`), is more likely meant than a name with another character: few names are that near.
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
  /** The name is exactly the search text without the names of labels in it. */
  named: 14,
  exact: 15,
} as const;

export interface NameTables {
  names: GramIndex;
  pinyin: { texts: SortedTexts; names: GroupedNumbers };
}

/** The names that fit a search as a whole. */
export interface NameMatches {
  /** For each name that fits, its rank; names that begin with the search are in `range` instead. */
  byName: Map<number, number>;
  /** Names that begin with the search: the place of the first, and the place behind the last. */
  range: [number, number];
  exact: ReadonlySet<number>;
}

/** If at least this many names fit the search better, names that are only spelled nearly like it are not searched. */
const enough = 10;
/**
 * Minimum lengths of texts that may have one error, and two errors. A text of two wide (Chinese) units may only lack a third unit, or have
 * its two units swapped. For a text of three narrow units, names that are spelled nearly alike rank below names that contain it.
 */
const [shortestNear, shortestTwoEdits] = [3, 8];
/** The length of the shortest text that is looked for inside of words. */
const shortestInside = 3;
const mostSounding = 1_000;
const firstWide = 0x2e80;

/**
 * @param asked the whole search text and, if it differs, the text without names of labels. Exact names are searched by both texts, all
 * other names by the last one.
 */
export async function matchNames({ names, pinyin }: NameTables, asked: string[], pace: Pace): Promise<NameMatches> {
  const { texts } = names;
  // All names that consist of punctuation only are stored as '', so '' is not searched as an exact name.
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

/** Whether a name that is one edit away from a text has two neighbours swapped: both have the same length and differ at two positions. */
function isSwapped({ units, offsets }: SortedTexts, name: number, text: string): boolean {
  const [start, end] = [offsets[name]!, offsets[name + 1]!];
  let different = 0;
  for (let i = 0; i < text.length; i++) if (units[start + i] !== text.charCodeAt(i)) different++;
  return end - start === text.length && different === 2;
}

/** Whether a word of the name, other than the first, begins with `part`. */
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

/** Names whose pinyin reading is the text, or begins with it. */
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
      // A text that is only the beginning of a name's initials fits too many names.
      if (isWhole || !isInitials) yield { name: names.numbers[i]! >>> 1, isInitials, isWhole };
    }
  }
}
