/** A sentence, or a part of one, in both languages. It stays a pair until the body of an answer or a report joins it. */
export interface Bilingual {
  zh: string;
  en: string;
}

/** A part of a sentence. A plain string, such as a keyword, a symbol or a name, is the same in both languages. */
export type Phrase = string | Bilingual;

export function inBoth(phrase: Phrase): Bilingual {
  return typeof phrase === 'string' ? { zh: phrase, en: phrase } : phrase;
}

/** Chinese first, then English, as clients and logs show it. */
export function joined({ zh, en }: Bilingual): string {
  return `${zh} / ${en}`;
}
