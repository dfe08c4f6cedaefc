import { normalizeText } from '../../graph-index/tokenize-text.js';

/** One end of a way: the prepositions that name the end, and the words for it in names of relations and dimensions. */
export interface WayEnd {
  /** Matches the preposition at the end of a text. */
  preposition: RegExp;
  /** Matches names that have the preposition itself: `loaned_from`. */
  name: RegExp;
  /** Matches names that tell the end by any word: 借出馆, `origin`. Some of these words, such as 发出, also tell other things. */
  said: RegExp;
}

/** English prepositions that name the end to which something comes. */
export const toWords = 'to|into|onto';

export const from: WayEnd = {
  preposition: /(?:\bfrom|来自|[从自由])$/,
  name: /\bfrom\b/,
  said: /\b(?:from|out of|origin|source|sender|seller|supplie[rd]|supply|departs?|left)|[借运转流送调发卖寄汇输派]出|[出始]发|发[货件]|寄件|供[应货给]|起点|来源|离开/,
}; // prettier-ignore

export const to: WayEnd = {
  preposition: new RegExp(`(?:\\b(?:${toWords})|[到至往])$`),
  name: new RegExp(`\\b(?:${toWords})\\b`),
  said: /\b(?:to|into|onto|destination|dest|target|arriv|receiv|recipient|consignee|deliver|buyer|customer)|(?<!供)给|[到至达去往]|[借运转流送调汇输派]入|收[货件款到]|目的|终点/,
}; // prettier-ignore

/** Two directions of one name, as in `to and from A` and 从和到A. */
export const bothWays = new RegExp(
  `(?:\\b(?:from|${toWords})\\s*(?:\\band\\b|[,/&])\\s*(?:from|${toWords})|(?:来?自|[从由到至往])\\s?(?:以?及|[和与并且、/])\\s?(?:来?自|[从由到至往]))$`,
);

/** Whether one of the names of a relation or dimension matches, with blanks in place of underscores. */
export function saysIn(names: readonly string[], word: RegExp): boolean {
  return names.some(name => word.test(normalizeText(name.replaceAll('_', ' '))));
}
