import { inNormalForm } from '../text/normal-form.js';
import { foldTraditional } from './fold-traditional.js';

/** A piece of normalised text: a run of CJK characters, or a word or code in any other script. */
export interface TextPiece {
  text: string;
  kind: 'cjk' | 'word';
  /** Offsets of the piece in the normalised text, in UTF-16 units. */
  start: number;
  end: number;
}

const cjkCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々〇ー]/u;
const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const none = 0;
const inWord = 1;
const inCjk = 2;
/**
 * The class of each character below U+10000, computed once. Matching each text with a regular expression instead made building a large
 * index four times as slow.
 */
const classes = new Uint8Array(0x10000).map((_, code) => classify(String.fromCharCode(code)));

const latinWithMarks = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const foldedLetters: Record<string, string> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' };

function classify(character: string): number {
  return cjkCharacter.test(character) ? inCjk : wordCharacter.test(character) ? inWord : none;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/**
 * Normalises a text for comparison: compatibility forms are unified (full width, ligatures), letters become lower case, Latin letters lose
 * their marks (`Königlich` = `koniglich`), and traditional characters become simplified ones. Marks of other scripts stay, because they can
 * distinguish words.
 */
export function normalizeText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const unified = inNormalForm(text, 'NFKC')
    .toLowerCase()
    .replace(latinWithMarks, letter => foldedLetters[letter] ?? inNormalForm(letter, 'NFD').replace(/\p{M}/gu, ''));
  return foldTraditional(unified);
}

/** Calls `visit` for each piece of normalised text, in order. Punctuation and space separate pieces. */
function scanPieces(text: string, visit: (kind: 'cjk' | 'word', start: number, end: number) => void): void {
  let start = 0;
  let open = none;
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i);
    const isPair = code >= 0xd800 && code <= 0xdbff && i + 1 < text.length;
    const width = isPair ? 2 : 1;
    const kind = isPair ? classify(text.slice(i, i + 2)) : (classes[code] ?? none);
    if (kind !== open) {
      if (open !== none) visit(open === inCjk ? 'cjk' : 'word', start, i);
      open = kind;
      start = i;
    }
    i += width;
  }
  if (open !== none) visit(open === inCjk ? 'cjk' : 'word', start, text.length);
}

/** Cuts normalised text into pieces, in order. Punctuation and space separate pieces and are dropped. */
export function cutPieces(normalized: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  scanPieces(normalized, (kind, start, end) => pieces.push({ text: normalized.slice(start, end), kind, start, end }));
  return pieces;
}

/** The offset of the character after the one at `at`. Rare Han characters take two UTF-16 units. */
function nextCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at + (code >= 0xd800 && code <= 0xdbff ? 2 : 1);
}

/**
 * The index terms of a text: whole words, and for each run of CJK characters its overlapping pairs and its last character (`数据库`: 数据, 据库,
 * 库). So each character of the run begins a term, and a search for a single character finds it.
 */
export function termsOfText(normalized: string): string[] {
  const terms: string[] = [];
  scanPieces(normalized, (kind, start, end) => {
    if (kind === 'word') {
      terms.push(normalized.slice(start, end));
      return;
    }
    for (let at = start; at < end;) {
      const next = nextCharacter(normalized, at);
      terms.push(normalized.slice(at, next < end ? nextCharacter(normalized, next) : end));
      at = next;
    }
  });
  return terms;
}

/**
 * A term of a search. A run of two or more CJK characters is split into pairs. A single CJK character matches all index terms that begin
 * with it.
 */
export interface QueryTerm {
  text: string;
  kind: 'word' | 'pair' | 'character';
  /** The offset of the term in the normalised text, in UTF-16 units. */
  start: number;
}

export function termsOfQuery(normalized: string): QueryTerm[] {
  const terms: QueryTerm[] = [];
  scanPieces(normalized, (kind, start, end) => {
    if (kind === 'word' || nextCharacter(normalized, start) >= end) {
      terms.push({ text: normalized.slice(start, end), kind: kind === 'word' ? 'word' : 'character', start });
      return;
    }
    for (let at = start, next = nextCharacter(normalized, at); next < end; at = next, next = nextCharacter(normalized, at)) {
      terms.push({ text: normalized.slice(at, nextCharacter(normalized, next)), kind: 'pair', start: at });
    }
  });
  return terms;
}

/** Drops punctuation and spaces, except single spaces between words. Two names count as the same if their compact texts are equal. */
export function compactText(normalized: string): string {
  let compact = '';
  let last: 'cjk' | 'word' | null = null;
  scanPieces(normalized, (kind, start, end) => {
    if (kind === 'word' && last === 'word') compact += ' ';
    compact += normalized.slice(start, end);
    last = kind;
  });
  return compact;
}
