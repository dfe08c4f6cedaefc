/**
 * The possible kinds of a CSV value, found from its bytes. A column starts as UNKNOWN and is widened by its values: int -> bigint ->
 * numeric -> text, date -> timestamp -> text, everything else -> text. Only spellings that PostgreSQL itself would print count as a type
 * ("canonical"). A few other common spellings are read too, but are marked lossy: a column that has a lossy value cannot be turned back
 * into the text of the file. Numbers with commas or with digits in groups are stored as texts while the file is read. At the end of the
 * file, number-signs.ts decides which of these columns become numbers.
 */
export const UNKNOWN = 0;
export const TEXT = 1;
export const BOOLEAN = 2;
export const INT = 3;
export const BIGINT = 4;
export const NUMERIC = 5;
export const DATE = 6;
export const TIMESTAMP = 7;
export const TIMESTAMPTZ = 8;
/** Numbers as those of NUMERIC, but with a comma in place of the point. */
export const COMMAS = 9;
/**
 * Numbers with digits in groups, such as `1.234,56`, and numbers with a leading plus; also columns that have both numbers with a point and
 * numbers with a comma.
 */
export const GROUPED = 10;

export type Kind =
  | typeof UNKNOWN
  | typeof TEXT
  | typeof BOOLEAN
  | typeof INT
  | typeof BIGINT
  | typeof NUMERIC
  | typeof DATE
  | typeof TIMESTAMP
  | typeof TIMESTAMPTZ
  | typeof COMMAS
  | typeof GROUPED;

/** The PostgreSQL type of each kind, indexed by the kind. A column without any value (UNKNOWN) is text. */
export const KIND_TYPES = [
  'text',
  'text',
  'boolean',
  'integer',
  'bigint',
  'numeric',
  'date',
  'timestamp',
  'timestamptz',
  'text',
  'text',
] as const;

/** Whether a column of the kind stores the texts of the file unchanged. */
export function isText(kind: number): boolean {
  return KIND_TYPES[kind] === 'text';
}

/** A bit that `classifyValue` adds to a kind if PostgreSQL would print the value in another spelling. */
export const LOSSY = 16;

const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;

/** The most digits of a number. A longer string of digits counts as a code, though PostgreSQL's numeric allows far more digits. */
const LONGEST_NUMBER = 400;
const LARGEST_EXPONENT = 300;

/**
 * The kind of the non-empty value in `bytes[start, end)`. The value is unquoted, or quoted without doubled quotes. LOSSY is added if the
 * spelling is not canonical. A value with leading zeros or a leading plus is stored as text, because such values are codes or telephone
 * numbers.
 */
export function classifyValue(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]!;
  if (first <= 57 && first >= COMMA) return classifyNumberOrTime(bytes, start, end);
  if (first === PLUS) return classifyPlus(bytes, start, end);
  const length = end - start;
  if (length === 4 || length === 5) return classifyBoolean(bytes, start, end);
  return TEXT;
}

/** The narrowest kind for a column of the kind `kind` to which a value of the kind `value` is added. */
export function widenKind(kind: number, value: number): Kind {
  if (kind === value || kind === UNKNOWN) return value as Kind;
  if (isNumber(kind) && isNumber(value)) return joinNumbers(kind, value);
  if ((kind === DATE || kind === TIMESTAMP) && (value === DATE || value === TIMESTAMP)) return TIMESTAMP;
  return TEXT;
}

/** Whether a column of the kind `kind` can take a value of the kind `value` without being widened. */
export function holdsKind(kind: number, value: number): boolean {
  return kind === TEXT || (kind !== UNKNOWN && widenKind(kind, value) === kind);
}

function isNumber(kind: number): boolean {
  return (kind >= INT && kind <= NUMERIC) || kind >= COMMAS;
}

function joinNumbers(kind: number, value: number): Kind {
  const wider = Math.max(kind, value) as Kind;
  return wider === COMMAS && Math.min(kind, value) === NUMERIC ? GROUPED : wider;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

const BOOLEANS = ['true', 'false', 'TRUE', 'FALSE', 'True', 'False'].map(word => Buffer.from(word));

function classifyBoolean(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  for (let spelling = 0; spelling < BOOLEANS.length; spelling++) {
    const word = BOOLEANS[spelling]!;
    let same = 0;
    while (same < length && word[same] === bytes[start + same]) same++;
    if (same === length && word.length === length) return spelling < 2 ? BOOLEAN : BOOLEAN | LOSSY;
  }
  return TEXT;
}

function classifyNumberOrTime(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 10 && bytes[start + 4] === 45 && bytes[start + 7] === 45) return classifyTime(bytes, start, end);
  const kind = classifyNumber(bytes, start, end);
  return kind === TEXT && end - start <= longestGrouped && isGrouped(bytes, start, end) ? GROUPED : kind;
}

/** GROUPED for a number behind a plus, so that its column is text, and a warning names the types that read its points or commas. */
function classifyPlus(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 2 || bytes[start + 1] === MINUS) return TEXT;
  return isNumber(classifyNumberOrTime(bytes, start + 1, end) & ~LOSSY) ? GROUPED : TEXT;
}

/** The most bytes of a number with digits in groups. */
const longestGrouped = 80;
/**
 * Matches digits in groups of three, in a string with one character for each byte of UTF-8. The last three alternatives are the bytes of
 * U+00A0, U+202F and U+2019.
 */
const grouped = /^-?[1-9]\d{0,2}([.,' ]|\xc2\xa0|\xe2\x80\xaf|\xe2\x80\x99)\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/;

function isGrouped(bytes: Uint8Array, start: number, end: number): boolean {
  return grouped.test(String.fromCharCode(...bytes.subarray(start, end)));
}

/** Bits for the decimal signs that a number can have. */
export const SURE_COMMA = 1;
export const SURE_POINT = 2;
export const UNSURE = 4;
/** The same bits for numbers behind a plus are moved up by this many: their column is text, so they tell nothing of other columns. */
export const behindPlus = 3;
/** The most bytes of a telephone number, which has at most 15 digits, with points between them. */
const longestPhone = 30;

/** The decimal sign of a number as `signOfNumber` gives it, moved for one behind a plus; 0 for a telephone number. */
export function signOf(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== PLUS) return signOfNumber(bytes, start, end);
  return isPhone(bytes, start + 1, end) ? 0 : signOfNumber(bytes, start + 1, end) << behindPlus;
}

/** Matches a country code with many digits behind it, in groups with points between them or in one. */
const phone = /^[1-9]\d{0,3}(?:(?:\.\d+){2,}|\.\d{7,})$/;

function isPhone(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start <= longestPhone && phone.test(String.fromCharCode(...bytes.subarray(start, end)));
}

/**
 * The decimal sign of a number:
 * - SURE_COMMA for `12,5`, `1.234,5` and `1.234.567`.
 * - SURE_POINT for `12.5` and `1,234,567`.
 * - UNSURE for a number whose only sign may separate groups of digits (`1.234`, `1,234`, or `1,2345` in groups of ten thousands), and for
 *   one with digits on one side only (`1,` and `,5`).
 * - 0 for a number without a point or comma, and for an address such as `192.168.100.101`.
 */
function signOfNumber(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let last = end - 1;
  while (last >= first && bytes[last] !== POINT && bytes[last] !== COMMA) last--;
  if (last < first) return 0;
  const sign = bytes[last]!;
  let [before, after] = [first, last + 1];
  while (isDigit(bytes[before])) before++;
  while (after < end && isDigit(bytes[after])) after++;
  const behind = after - last - 1;
  // A sign that occurs twice separates groups, so the decimal sign is the other one. If two different signs occur, the last one is decimal.
  if (before < last && bytes[before] === sign) return isAddress(bytes, start, end) ? 0 : sign === COMMA ? SURE_POINT : SURE_COMMA;
  if (before === last && (last === first || behind === 0)) return UNSURE;
  const isGroup = before === last && bytes[first] !== 48 && last > first && last - first <= behind;
  if (isGroup && after === end && (behind === 3 || (behind === 4 && sign === COMMA))) return UNSURE;
  return sign === COMMA ? SURE_COMMA : SURE_POINT;
}

/** Whether the bytes are four groups of digits up to 255 with points between them. */
function isAddress(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > 15) return false;
  const groups = String.fromCharCode(...bytes.subarray(start, end)).split('.');
  return groups.length === 4 && groups.every(group => /^\d+$/.test(group) && Number(group) <= 255);
}

function classifyNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > LONGEST_NUMBER) return TEXT;
  const negative = bytes[start] === 45;
  const whole = negative ? start + 1 : start;
  let at = whole;
  while (at < end && isDigit(bytes[at])) at++;
  const wholeDigits = at - whole;
  if (wholeDigits > 1 && bytes[whole] === 48) return TEXT;
  if (at === end) return wholeDigits === 0 ? TEXT : classifyInteger(bytes, whole, wholeDigits, negative);

  let lossy = wholeDigits === 0 ? LOSSY : 0;
  const sign = bytes[at];
  if (sign === POINT || sign === COMMA) {
    const fraction = ++at;
    while (at < end && isDigit(bytes[at])) at++;
    if (at === fraction) {
      if (wholeDigits === 0) return TEXT;
      lossy = LOSSY;
    }
  } else if (wholeDigits === 0) return TEXT;
  if (at < end) {
    if ((bytes[at]! | 32) !== 101) return TEXT;
    lossy = LOSSY;
    if (bytes[++at] === 43 || bytes[at] === 45) at++;
    const exponent = at;
    while (at < end && isDigit(bytes[at])) at++;
    if (at !== end || at === exponent || at - exponent > 3 || digits(bytes, exponent, at - exponent) > LARGEST_EXPONENT) return TEXT;
  }
  const kind = sign === COMMA ? COMMAS : NUMERIC;
  // PostgreSQL has no negative zero: -0.0 would come back as 0.0.
  return negative && isZero(bytes, whole, end) ? kind | LOSSY : kind | lossy;
}

function classifyInteger(bytes: Uint8Array, start: number, length: number, negative: boolean): number {
  if (length < 10) return negative && bytes[start] === 48 ? INT | LOSSY : INT;
  if (length > 19) return NUMERIC;
  const value = BigInt(String.fromCharCode(...bytes.subarray(start, start + length)));
  const slack = negative ? 1n : 0n;
  if (value <= 2147483647n + slack) return INT;
  return value <= 9223372036854775807n + slack ? BIGINT : NUMERIC;
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= 49 && byte <= 57) return false;
    if ((byte | 32) === 101) return true;
  }
  return true;
}

function digits(bytes: Uint8Array, start: number, length: number): number {
  let value = 0;
  for (let at = start; at < start + length; at++) value = value * 10 + bytes[at]! - 48;
  return value;
}

/** Whether `bytes[start, start + length)` are digits whose value lies in [low, high]. */
function inRange(bytes: Uint8Array, start: number, length: number, low: number, high: number): boolean {
  for (let at = start; at < start + length; at++) if (!isDigit(bytes[at])) return false;
  const value = digits(bytes, start, length);
  return value >= low && value <= high;
}

const MONTH_DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a YYYY-MM-DD that exists in the calendar begins at `start`. */
export function isDate(bytes: Uint8Array, start: number): boolean {
  if (bytes[start + 4] !== 45 || bytes[start + 7] !== 45) return false;
  if (!inRange(bytes, start, 4, 1, 9999) || !inRange(bytes, start + 5, 2, 1, 12) || !inRange(bytes, start + 8, 2, 1, 31)) return false;
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  if (month !== 2 || day < 29) return day <= MONTH_DAYS[month]!;
  const year = digits(bytes, start, 4);
  return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function classifyTime(bytes: Uint8Array, start: number, end: number): number {
  if (!isDate(bytes, start)) return TEXT;
  let at = start + 10;
  if (at === end) return DATE;
  const separator = bytes[at];
  if (separator !== 32 && separator !== 84) return TEXT;
  let lossy = separator === 84 ? LOSSY : 0;
  if (end - at < 6 || bytes[at + 3] !== 58 || !inRange(bytes, at + 1, 2, 0, 23) || !inRange(bytes, at + 4, 2, 0, 59)) return TEXT;
  at += 6;
  if (bytes[at] === 58 && at < end) {
    if (end - at < 3 || !inRange(bytes, at + 1, 2, 0, 59)) return TEXT;
    at += 3;
    if (bytes[at] === 46 && at < end) {
      const fraction = ++at;
      while (at < end && isDigit(bytes[at])) at++;
      // PostgreSQL keeps six digits of a second. A value with more digits would be changed, not only spelled differently.
      if (at === fraction || at - fraction > 6) return TEXT;
      if (bytes[at - 1] === 48) lossy = LOSSY;
    }
  } else lossy = LOSSY;
  return at === end ? TIMESTAMP | lossy : classifyZone(bytes, at, end, lossy);
}

function classifyZone(bytes: Uint8Array, at: number, end: number, lossy: number): number {
  const length = end - at;
  if (length === 1 && bytes[at] === 90) return TIMESTAMPTZ | LOSSY;
  if (bytes[at] !== 43 && bytes[at] !== 45) return TEXT;
  if (!(length >= 3 && inRange(bytes, at + 1, 2, 0, 14))) return TEXT;
  if (length === 3) return bytes[at] === 43 && digits(bytes, at + 1, 2) === 0 ? TIMESTAMPTZ | lossy : TIMESTAMPTZ | LOSSY;
  const minutes = bytes[at + 3] === 58 ? at + 4 : at + 3;
  return end - minutes === 2 && inRange(bytes, minutes, 2, 0, 59) ? TIMESTAMPTZ | LOSSY : TEXT;
}
