import { type Bilingual } from '../../text/bilingual.js';

const others = /其他|其它|其余|(?<![分区类性级特个差鉴])别的|另外?[一两几]?[个家位名种些款]|另外的|\b(?:others?|another|else|remaining)\b/g;

/**
 * The words of the question that ask for other things, such as 其他 or `else`.
 * @param unread the question without the words that name parts of the graph
 */
export function othersIn(unread: string): string[] {
  return [...unread.matchAll(others)].map(([word]) => word);
}

/** Whether a question names what to exclude: `other than Berlin`, 除华东以外的其他地区. A negation alone may deny something else. */
export function saysExclusion(text: string): boolean {
  return /除|以外|之外|\b(?:other than|except|apart from|besides|excluding)\b/.test(text);
}

/**
 * The reason to refuse a question for "other" things that does not name the things to exclude. Null if it does not ask for other things.
 * @param unread the question without the words that name parts of the graph
 */
export function whyOthers(unread: string): Bilingual | null {
  const [word] = othersIn(unread);
  if (word === undefined) return null;
  return {
    zh: `不清楚“${word}”是除谁之外；请写明，例如“华东以外的客户”，或去掉“${word}”`,
    en: `It is not clear what "${word}" leaves out; say so, such as "customers not in Berlin", or leave out "${word}"`,
  };
}
