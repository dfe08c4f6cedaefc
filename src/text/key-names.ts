/** Prefixes of table names that say where a table stands, not what its rows are. */
const layers = new Set(['dim', 'fact', 'fct', 'tbl', 'tb', 't', 'raw', 'stg', 'src', 'ods', 'dwd', 'dws', 'ads', 'v', 'vw']);
/** Last words that make a name that of a key. */
const keyWords = new Set(['id', 'code', 'key', 'no', 'num', 'number', 'fk', 'pk', 'uuid', 'guid', 'sk']);
const chineseKeyWord = /(?:编号|编码|代码|号码|标识|主键|号|码)$/u;
/** Names of a key that say nothing of its table. */
const plainKeys = new Set(['id', 'uuid', 'guid', 'key', 'code', '编号', '代码', '编码', '主键']);

/** `InvoiceLine.unit_price` has the words invoice, line, unit and price. */
export function wordsOf(name: string): string[] {
  const apart = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return apart
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}

export function isChinese(name: string): boolean {
  return /\p{Script=Han}/u.test(name);
}

/** The words of a column without those that only say that it is a key: `customer_id` and `CustomerID` mean customer. */
export function meaningOf(column: string): string[] {
  const words = wordsOf(column).map(word => (isChinese(word) ? word.replace(/id$/u, '').replace(chineseKeyWord, '') : word));
  if (words.length > 1 && keyWords.has(words.at(-1)!)) words.pop();
  // `customerid` in one word.
  else if (words.length > 0) words.push(words.pop()!.replace(/(?<=\p{L}{3})id$/u, ''));
  return words.filter(word => word !== '');
}

/** Tells whether the name says that the column is a key. */
export function isKeyName(column: string): boolean {
  const words = wordsOf(column);
  return keyWords.has(words.at(-1) ?? '') || meaningOf(column).join('') !== words.join('');
}

/** All ways in which a column may call a row of the table, in one word: `order_details` is orderdetails or orderdetail. */
export function namesOfRow(table: string): Set<string> {
  const words = wordsOf(table);
  if (words.length > 1 && layers.has(words[0]!)) words.shift();
  const joined = words.join('').replace(/(?:信息)?表$/u, '');
  return new Set(
    [joined, joined.replace(/s$/, ''), joined.replace(/es$/, ''), joined.replace(/ies$/, 'y')].filter(name => name.length > 1),
  );
}

/** A table as its name and its comment call it. */
interface NamedTable {
  bareName: string;
  comment: string | null;
}

/** Tells whether the name of a column means the rows of the table. */
export function namesRowOf(column: string, { bareName, comment }: NamedTable): boolean {
  const meaning = meaningOf(column).join('');
  return namesOfRow(bareName).has(meaning) || namesOfRow(wordIn(comment) ?? '').has(meaning);
}

/** Tells whether a column is named like the key of its own table. */
export function isOwnKey(column: string, table: NamedTable): boolean {
  return isKeyName(column) && (plainKeys.has(wordsOf(column).join('')) || namesRowOf(column, table));
}

/** How well the name of a column fits a reference to a key of a table: 0 means not at all. */
export function fitOfNames(column: string, table: string, key: string): number {
  const rows = namesOfRow(table);
  const meaning = meaningOf(column);
  if (rows.has(meaning.join(''))) return 3;
  // `billing_customer_id` and 上级部门编号 begin with a role.
  for (let from = 1; from < meaning.length; from++) if (rows.has(meaning.slice(from).join(''))) return 2;
  if ([...rows].some(row => isChinese(row) && meaning.join('').endsWith(row))) return 2;
  // `id` is a key of every table, so it fits none.
  const isNamedKey = !['', wordsOf(key).join('')].includes(meaningOf(key).join(''));
  return isNamedKey && wordsOf(column).join('') === wordsOf(key).join('') ? 1 : 0;
}

/** Names by which a row refers to another of its own table. */
const toOwnTable = /^(?:parent|reportsto|上级|父级|父)$/u;

export function refersToOwnTable(column: string): boolean {
  return toOwnTable.test(meaningOf(column).join(''));
}

/** The comment if it is one word, which names a thing instead of describing it. */
export function wordIn(comment: string | null): string | null {
  const word = comment?.trim() ?? '';
  return /^[\p{L}\p{N}_]{1,30}$/u.test(word) ? word : null;
}
