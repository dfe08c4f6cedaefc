/** A sentence, or a part of one, in both languages. It stays a pair until the body of an answer or a report joins it. */
export interface Bilingual {
  zh: string;
  en: string;
}

/** A part of a sentence; a plain string is the same in both languages, as a keyword, a symbol or a name is. */
export type Phrase = string | Bilingual;

export function inBoth(phrase: Phrase): Bilingual {
  return typeof phrase === 'string' ? { zh: phrase, en: phrase } : phrase;
}

/** Chinese first, then English, as clients and logs read it. */
export function joined({ zh, en }: Bilingual): string {
  return `${zh} / ${en}`;
}
