import { type Limits } from '../planning/question-plan.js';
import { capitalize } from './format-value.js';

/** Puts limits into words: `华东、华南`, `华东以外`; in English with joining words: ` for A, B excluding C since december 2025 (stock over 20)`. */
export function wordLimits({ named, excluded, times, conditions, isAmong }: Limits, zh: boolean): string {
  if (zh) {
    const said = [...times, ...conditions].map(text => text.replace(/的$/, ''));
    return [...named, ...(excluded.length > 0 ? [`${excluded.join('、')}以外`] : []), ...said].join('、');
  }
  return [
    ...(isAmong ? [' among them'] : []),
    ...(named.length > 0 ? [` for ${named.join(', ')}`] : []),
    ...(excluded.length > 0 ? [` excluding ${excluded.join(', ')}`] : []),
    ...times.map(time => ` ${withPreposition(time)}`),
    ...(conditions.length > 0 ? [` (${conditions.join('; ')})`] : []),
  ].join('');
}

/** Turns the Chinese limits `of` into an attribute before a noun: `与华东相关的`, `库存超过20的`; '' without limits. */
export function wordRelated({ conditions }: Limits, of: string): string {
  if (of === '') return '';
  return conditions.length > 0 ? `${of}的` : `与${of}相关的`;
}

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const day = '\\d{1,2}(?:st|nd|rd|th)?';
const isDay = new RegExp(
  `^(?:\\d{4}-\\d\\d?-\\d\\d?|\\d\\d?/\\d\\d?/\\d{4}|(?:the )?${day} (?:of )?${month}.*|${month}\\.? ${day}(?:[, ].*)?)$`,
);
/** Matches times before which English needs no preposition, or which begin with one. */
const standsAlone =
  /^(?:since|after|before|until|till|up|through|by|as|on|in|within|over|during|for|between|from|last|this|next|today|yesterday|tomorrow|year|quarter|month|so)\b/;

function withPreposition(time: string): string {
  const text = time.replace(/^(?:last|past|previous|most recent)(?= \S+ (?:day|week|month|quarter|year)s?$)/, 'in the $&');
  const said = text.replace(new RegExp(`\\b${month}`, 'g'), capitalize);
  if (standsAlone.test(text)) return said;
  return isDay.test(text) ? `on ${said}` : `in ${/^(?:previous|current) /.test(said) ? 'the ' : ''}${said}`;
}
