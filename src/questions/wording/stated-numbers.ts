import { inNormalForm } from '../../text/normal-form.js';
import { trimZerosEnd } from '../../text/trim-zeros.js';

const digits = String.raw`(?<![\d\p{L}.])[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|(?:(?<![\d\p{L}])[-−])?\d+(?:\.\d+)?`;
const scale = String.raw`\s*(?:[十百千万亿%％‰]+|(?:hundred|thousand|million|billion|trillion|dozen|percent|bn|[kmb])(?![\p{L}]))`;
const chinese = '[〇零二三四五六七八九十百千万亿两半]+';
const english =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|trillions?|dozens?|half|quarters?|twice|double|triple';
const pattern = new RegExp(`(${digits})(${scale})?|${chinese}|(?<![\\p{L}])(?:${english})(?![\\p{L}])`, 'giu');

/**
 * The numbers that a text states, each in one form: digits with sign and scale, but without separators and idle zeros; words for numbers
 * unchanged. "1,234.50" and "1234.5" have the same form; "12 million" and "12" do not. 一 and "one" are left out: they mostly count nothing.
 */
export function statedNumbers(text: string): string[] {
  return [...inNormalForm(text, 'NFKC').matchAll(pattern)].map(([whole, number, unit = '']) =>
    number === undefined ? whole.toLowerCase() : `${plainNumber(number)}${unit.replace(/\s/g, '').toLowerCase()}`,
  );
}

/** The numbers in a value of an answer and in all values nested in it. */
export function numbersInValue(value: unknown): string[] {
  if (typeof value === 'number' || typeof value === 'string') return statedNumbers(String(value));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersInValue) : [];
}

function plainNumber(text: string): string {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').replace('−', '-').split('.');
  const kept = trimZerosEnd(fraction);
  return `${whole.replace(/^(-?)0+(?=\d)/, '$1')}${kept === '' ? '' : `.${kept}`}`;
}
