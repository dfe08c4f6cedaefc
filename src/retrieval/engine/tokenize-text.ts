/** A piece of normalised text: a run of CJK characters, or a word or code in any other script. */
export interface TextPiece {
  text: string;
  kind: 'cjk' | 'word';
  /** Offsets in the normalised text, UTF-16 units. */
  start: number;
  end: number;
}

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}々〇ー';
const PIECES = new RegExp(`([${CJK}]+)|((?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}_])+)`, 'gu');
const LATIN_WITH_MARKS = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const FOLDED: Record<string, string> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' };
const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
};

/**
 * The form in which texts are compared: compatibility forms unified (full width, ligatures), lower case, Latin letters without
 * their marks (`Königlich` = `koniglich`). Marks of other scripts stay, where they tell words apart.
 */
export function normalizeText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(LATIN_WITH_MARKS, letter => FOLDED[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, ''));
}

/** Cuts normalised text into pieces, in order; punctuation and space separate them and are dropped. */
export function cutPieces(normalized: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const match of normalized.matchAll(PIECES)) {
    pieces.push({ text: match[0], kind: match[1] === undefined ? 'word' : 'cjk', start: match.index, end: match.index + match[0].length });
  }
  return pieces;
}

/** The terms under which a text is found: words whole; CJK runs as single characters and as overlapping pairs. */
export function termsOfText(normalized: string): string[] {
  const terms: string[] = [];
  for (const piece of cutPieces(normalized)) {
    if (piece.kind === 'word') {
      terms.push(piece.text);
      continue;
    }
    const characters = [...piece.text];
    characters.forEach((character, i) => {
      terms.push(character);
      const next = characters[i + 1];
      if (next !== undefined) terms.push(character + next);
    });
  }
  return terms;
}

/** The terms a search asks for: like {@link termsOfText}, but a CJK run of two or more characters only by its pairs. */
export function termsOfQuery(normalized: string): { text: string; kind: 'cjk' | 'word' }[] {
  const terms: { text: string; kind: 'cjk' | 'word' }[] = [];
  for (const piece of cutPieces(normalized)) {
    if (piece.kind === 'word') {
      terms.push({ text: piece.text, kind: 'word' });
      continue;
    }
    const characters = [...piece.text];
    if (characters.length === 1) terms.push({ text: piece.text, kind: 'cjk' });
    for (let i = 0; i + 1 < characters.length; i++) terms.push({ text: `${characters[i]}${characters[i + 1]}`, kind: 'cjk' });
  }
  return terms;
}

/** A text without its punctuation and spaces, for telling whether two names are the same. */
export function compactText(normalized: string): string {
  return cutPieces(normalized)
    .map(piece => piece.text)
    .join(' ')
    .replace(new RegExp(`(?<=[${CJK}]) | (?=[${CJK}])`, 'gu'), '');
}
