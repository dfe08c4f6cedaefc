/** A sentence or a part of a sentence in both languages. The two stay apart until the body of an answer or a report joins them. */
export interface Bilingual {
  zh: string;
  en: string;
}

/** A part of a sentence. A plain string, such as a keyword, a symbol or a name, is the same in both languages. */
export type Phrase = string | Bilingual;

export function inBoth(phrase: Phrase): Bilingual {
  return typeof phrase === 'string' ? { zh: phrase, en: phrase } : phrase;
}

/** Joins the two languages as clients and logs show them: Chinese first, then English. */
export function joined({ zh, en }: Bilingual): string {
  return `${zh} / ${en}`;
}
