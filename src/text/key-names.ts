/** Prefixes of table names that name the layer of a warehouse or the kind of table instead of the rows. */
const layers = new Set(['dim', 'fact', 'fct', 'tbl', 'tb', 't', 'raw', 'stg', 'src', 'ods', 'dwd', 'dws', 'ads', 'v', 'vw']);
/** Words that mark a column as a key if they end its name. */
const keyWords = new Set(['id', 'code', 'key', 'no', 'num', 'number', 'fk', 'pk', 'uuid', 'guid', 'sk']);
const chineseKeyWord = /(?:编号|编码|代码|号码|标识|主键|号|码)$/u;
/** Names of key columns that do not contain the name of a table. */
const plainKeys = new Set(['id', 'uuid', 'guid', 'key', 'code', '编号', '代码', '编码', '主键']);

/** The words of a name in lower case: `InvoiceLine.unit_price` has the words invoice, line, unit and price. */
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
  // Cut `id` off `customerid`, which is one word.
  else if (words.length > 0) words.push(words.pop()!.replace(/(?<=\p{L}{3})id$/u, ''));
  return words.filter(word => word !== '');
}

/** Tells whether the name of a column says that the column is a key. */
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

/** The name and the comment of a table. */
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

/** How well the name of a column fits a reference to a key of a table: from 0, not at all, to 3, the column is named like a row. */
export function fitOfNames(column: string, table: string, key: string): number {
  const rows = namesOfRow(table);
  const meaning = meaningOf(column);
  if (rows.has(meaning.join(''))) return 3;
  // `billing_customer_id` and 上级部门编号 begin with a role and end with the name of a row.
  for (let from = 1; from < meaning.length; from++) if (rows.has(meaning.slice(from).join(''))) return 2;
  if ([...rows].some(row => isChinese(row) && meaning.join('').endsWith(row))) return 2;
  // The key `id` exists in every table, so an equal name does not count.
  const isNamedKey = !['', wordsOf(key).join('')].includes(meaningOf(key).join(''));
  return isNamedKey && wordsOf(column).join('') === wordsOf(key).join('') ? 1 : 0;
}

/** Matches names of columns by which a row refers to another row of its own table. */
const toOwnTable = /^(?:parent|reportsto|上级|父级|父)$/u;

export function refersToOwnTable(column: string): boolean {
  return toOwnTable.test(meaningOf(column).join(''));
}

/** The comment of a table if the comment is one word, which names a row instead of describing it; else null. */
export function wordIn(comment: string | null): string | null {
  const word = comment?.trim() ?? '';
  return /^[\p{L}\p{N}_]{1,30}$/u.test(word) ? word : null;
}

/** A name, and its comment as a further name if the comment is one word. */
export function withWord(name: string, comment: string | null): string[] {
  const word = wordIn(comment);
  return word === null ? [name] : [name, word];
}
