import { type Bilingual } from '../../text/bilingual.js';

/** The bounds of a mapping's text. A useful mapping of 256 KiB also stays within the other bounds. */
export const bounds = { bytes: 256 * 1024, lines: 15_000, values: 60_000, depth: 20 };

const tooManyValues = {
  zh: `映射中的值超过 ${bounds.values} 个（文本中的逗号等也计入），请拆成几个任务`,
  en: `the mapping has more than ${bounds.values} values, with the commas in texts; split it into several jobs`,
};
const tooManyLines = {
  zh: `映射超过 ${bounds.lines} 行，请拆成几个任务`,
  en: `the mapping has more than ${bounds.lines} lines; split it into several jobs`,
};

/** The refusal of a text with too many parser events, each of which begins or ends a value; null for a text within the bound. */
export function tooManyEvents(count: number): Bilingual | null {
  return count > bounds.values ? tooManyValues : null;
}

/** The size of a text, counted by its characters before any parser reads it. */
interface Size {
  lines: number;
  /**
   * The number of `,`, `[` and `{`, and of `-`, `?` and `:` before a blank. There is about one for each value, but signs in texts and
   * comments count as well.
   */
  signs: number;
  /** The number of lines `---`, each of which begins a document. */
  documents: number;
}

/**
 * The reason why a text is too large to be parsed; null if it may be parsed. One pass over the characters takes a millisecond. A parser
 * would need some hundred milliseconds for a quarter of a megabyte of the smallest values, lines or documents.
 */
export function refuseUnparsed(text: string): { isSeveralDocuments: true } | { text: Bilingual } | null {
  if (new TextEncoder().encode(text).length > bounds.bytes) {
    return { text: { zh: '映射超过 256 KiB', en: 'the mapping is larger than 256 KiB' } };
  }
  const { lines, signs, documents } = measure(text);
  // The first `---` may stand before the only document, and a second `---` may end it, so only a third one proves several documents.
  if (documents > 2) return { isSeveralDocuments: true };
  if (lines > bounds.lines) return { text: tooManyLines };
  return signs > bounds.values ? { text: tooManyValues } : null;
}

const signs = new Set(Array.from(',[{', codeOf));
const signsBeforeBlanks = new Set(Array.from('-?:', codeOf));
const [lineFeed, carriageReturn] = Array.from('\n\r', codeOf);

function measure(text: string): Size {
  const size: Size = { lines: 1, signs: 0, documents: startsDocument(text, 0) ? 1 : 0 };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) {
      size.lines++;
      if (startsDocument(text, at + 1)) size.documents++;
    } else if (signs.has(code) || (signsBeforeBlanks.has(code) && isBlank(text, at + 1))) size.signs++;
  }
  return size;
}

function startsDocument(text: string, at: number): boolean {
  return text.startsWith('---', at) && isBlank(text, at + 3);
}

function isBlank(text: string, at: number): boolean {
  const character = text[at];
  return character === ' ' || character === '\n' || character === '\r' || character === '\t' || character === undefined;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
