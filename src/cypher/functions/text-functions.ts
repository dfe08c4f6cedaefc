import { type CypherValue } from '../values/cypher-value.js';
import { spend } from '../syntax/effort.js';
import { ownPiece } from '../values/own-piece.js';
import { bytesOfList, checkBytes, checkedSize, checkLength } from '../values/value-size.js';
import { countArgument, type CypherFunction, ofOne, strict, tableOf, textArgument } from './cypher-function.js';
import { piecesOf } from './search-text.js';

export const textFunctions = tableOf(
  ofText('toUpper', upperCase),
  ofText('toLower', lowerCase),
  ofText('upper', upperCase),
  ofText('lower', lowerCase),
  ofText('trim', trimmed),
  ofText('lTrim', text => ownPiece(text.trimStart(), text)),
  ofText('rTrim', text => ownPiece(text.trimEnd(), text)),
  ofText('btrim', trimmed),
  ofText('char_length', text => BigInt(countOfCharacters(text))),
  ofText('character_length', text => BigInt(countOfCharacters(text))),
  strict('left', 2, 2, (text, count) => charactersFrom(textArgument('left', text), 0, countArgument('left', count))),
  strict('right', 2, 2, (text, count) => lastCharacters(textArgument('right', text), countArgument('right', count))),
  strict('substring', 2, 3, (text, start, count) =>
    charactersFrom(
      textArgument('substring', text),
      countArgument('substring', start),
      count === undefined ? Infinity : countArgument('substring', count),
    ),
  ),
  strict('replace', 3, 3, (text, from, to) =>
    replaced(textArgument('replace', text), textArgument('replace', from), textArgument('replace', to)),
  ),
  strict('split', 2, 2, (text, separator) => pieces(textArgument('split', text), textArgument('split', separator))),
);

/** The number of characters in a text. Characters are code points, as in PostgreSQL. */
export function countOfCharacters(text: string): number {
  spend(text.length >> 3);
  let count = text.length;
  for (let i = 0; i < text.length; i += 1) if (isPairAt(text, i)) count -= 1;
  return count;
}

export function backwards(text: string): string {
  spend(4 * text.length);
  return [...text].reverse().join('');
}

function ofText(name: string, body: (text: string) => CypherValue): CypherFunction {
  return ofOne(name, value => {
    const text = textArgument(name, value);
    spend(text.length >> 1);
    return body(text);
  });
}

function trimmed(text: string): string {
  return ownPiece(text.trim(), text);
}

function upperCase(text: string): string {
  return text.toUpperCase();
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function charactersFrom(text: string, start: number, count: number): string {
  const from = unitsOf(text, 0, start);
  const to = unitsOf(text, from, count);
  spend((to >> 3) + (text.length >> 4));
  return ownPiece(text.slice(from, to), text);
}

function lastCharacters(text: string, count: number): string {
  return charactersFrom(text, Math.max(countOfCharacters(text) - count, 0), Infinity);
}

/** The offset, in UTF-16 units, that is `characters` code points after the offset `from`. The end of the text if it is shorter. */
function unitsOf(text: string, from: number, characters: number): number {
  if (characters >= text.length - from) return text.length;
  let at = from;
  for (let left = characters; left > 0 && at < text.length; left -= 1) at += isPairAt(text, at) ? 2 : 1;
  return at;
}

function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** `replace()`: the text with each `from` replaced by `to`. An empty `from` leaves the text unchanged. */
function replaced(text: string, from: string, to: string): string {
  if (from === '') return text;
  const between = piecesOf(text, from);
  const length = text.length + (to.length - from.length) * (between.length - 1);
  checkLength(length);
  spend(length >> 4);
  return between.join(to);
}

function pieces(text: string, separator: string): CypherValue {
  if (separator === '') return charactersOf(text);
  const found = piecesOf(text, separator);
  checkBytes(bytesOfList(found.length));
  spend(8 * found.length);
  return checkedSize(found.map(piece => ownPiece(piece, text)));
}

/** The list of the characters of a text: `split()` with an empty separator. */
function charactersOf(text: string): CypherValue {
  checkBytes(bytesOfList(countOfCharacters(text)));
  spend(2 * text.length);
  return checkedSize([...text].slice());
}
