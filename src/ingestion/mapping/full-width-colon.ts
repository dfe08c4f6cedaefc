import { type Bilingual } from '../../text/bilingual.js';
import { type Steps } from '../../text/steps.js';

/** The line of a mapping with a full-width colon where YAML needs `: `. */
export interface FullWidthColon {
  /** Offset of the colon in the text, in UTF-16 units. */
  offset: number;
  text: Bilingual;
  /** The line as it should be. */
  hint: Bilingual;
}

/** A key of the mapping language, which is ASCII, at the beginning of a line, of an item or of an entry of a flow map. */
const afterKey = /(?:^[\s-]*|[{,]\s*)[A-Za-z_]+\s*(：)/;
const maxShown = 120;

/**
 * Finds the full-width colon behind a fault: the nearest one after a key, in the line of the fault or at most three lines above it,
 * where the fault goes away once the colon is an ASCII one. Each look for a fault is a step.
 * @param faultOf where the text has its first fault; Infinity for none
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

/** The sentence on a line, a key or a value with a full-width colon, and how to write it. */
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
