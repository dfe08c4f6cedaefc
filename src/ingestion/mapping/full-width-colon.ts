import { type Bilingual } from '../../text/bilingual.js';
import { type Steps } from '../../text/steps.js';

/** A line of a mapping that has a full-width colon where YAML needs `: `. */
export interface FullWidthColon {
  /** Offset of the colon in the text, in UTF-16 units. */
  offset: number;
  text: Bilingual;
  /** The corrected line. */
  hint: Bilingual;
}

/**
 * A full-width colon after a key of the mapping language, which is ASCII. The key stands at the beginning of a line, of a list item or of
 * an entry in a flow map.
 */
const afterKey = /(?:^[\s-]*|[{,]\s*)[A-Za-z_]+\s*(：)/;
const maxShown = 120;

/**
 * Finds the full-width colon that causes a syntax error. It is the nearest full-width colon after a key, in the line of the error or up to
 * three lines above. The error must disappear when an ASCII colon replaces it. Each check of this is a parse, which is one step.
 * @param faultOf gives the offset of a text's first error; Infinity for none
 */
export function* findFullWidthColon(text: string, faultAt: number, faultOf: (text: string) => number): Steps<FullWidthColon | null> {
  if (!text.includes('：')) return null;
  let end = text.length;
  const following = text.slice(faultAt).search(/[\r\n]/);
  if (following >= 0) end = faultAt + following;
  for (let looked = 0; looked < 4 && end >= 0; looked++) {
    const start = Math.max(text.lastIndexOf('\n', end - 1), text.lastIndexOf('\r', end - 1)) + 1;
    const found = afterKey.exec(text.slice(start, end));
    if (found) {
      const offset = start + found.index + found[0].length - 1;
      const repaired = `${text.slice(0, offset)}: ${text.slice(offset + 1)}`;
      yield;
      if (faultOf(repaired) > faultAt + 1) return { offset, ...describeFullWidthColon(text.slice(start, end), offset - start) };
    }
    end = start - 1;
  }
  return null;
}

/** The problem with a line, key or value that has a full-width colon, and a hint with the corrected line. */
export function describeFullWidthColon(written: string, at = written.indexOf('：')): Pick<FullWidthColon, 'text' | 'hint'> {
  const line = `${written.slice(0, at).trim()}: ${written.slice(at + 1).trim()}`.trim();
  const right = [...line].slice(0, maxShown).join('');
  return {
    text: {
      zh: '这里是全角冒号「：」，YAML 需要半角冒号加空格',
      en: 'this is a full-width colon (：); YAML needs an ASCII colon and a space',
    },
    hint: { zh: `写作：${right}`, en: `write: ${right}` },
  };
}
