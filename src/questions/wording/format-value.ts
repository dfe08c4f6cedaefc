import { trimDecimals } from '../../text/trim-zeros.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { isYear } from '../linking/date-names.js';

/** For each column, whether its values are shown unchanged: texts, and numbers that name something, such as codes and years. */
export function textColumns(columns: readonly { name: string; type: string }[], { labels, edges }: GraphSchema): boolean[] {
  const elements = [...labels, ...edges];
  return columns.map(
    ({ name, type }) =>
      type === 'string' ||
      isCode(name) ||
      labels.some(({ keyProperties }) => keyProperties.includes(name)) ||
      elements.some(({ properties }) => properties.some(property => property.name === name && isYear(property))),
  );
}

function isCode(name: string): boolean {
  const spaced = name.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ');
  return /(?:^| )(?:id|code|no|zip|postcode|phone|mobile|(?:phone|account|serial|card|invoice|room) number)$|(?:编号|编码|代码|邮编|号码?|电话|手机)$/i.test(spaced); // prettier-ignore
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats a value by the name of its column: years get no thousands separators. */
export function formatAs(name: string | null | undefined, value: unknown): string {
  return /\byear$|年(?:份|度)?$/i.test(name ?? '') && Number.isSafeInteger(value) ? String(value) : formatValue(value);
}

/** A number with more decimals than this is taken for the result of a division, and is rounded. */
const mostDecimals = 6;

/**
 * Writes numbers with thousands separators. Results of a division are rounded to two decimals, below 1 to four digits. Null becomes `—`.
 * Other values stay as they are.
 */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '—';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const match = /^(-?\d+)(\.\d+)?$/.exec(text);
  if (!match || (typeof value === 'string' && /^-?0\d/.test(text))) return text;
  const decimals = trimDecimals(match[2] ?? '');
  if (decimals.length > mostDecimals + 1 && text.replace(/\..*/, '').length <= 13) {
    const number = Number(text);
    return Math.abs(number) >= 1 ? formatValue(number.toFixed(2)) : String(Number(number.toPrecision(4)));
  }
  return `${grouped(match[1] ?? '')}${decimals}`;
}

/** Puts a comma before each group of three digits, counted from the end. */
function grouped(whole: string): string {
  const [sign, digits] = whole.startsWith('-') ? ['-', whole.slice(1)] : ['', whole];
  const first = digits.length % 3 || 3;
  return sign + [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(',');
}
