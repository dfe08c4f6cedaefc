/** Prefixes of table names that name the layer of a warehouse or the kind of table instead of the rows. */
const layers = new Set(['dim', 'fact', 'fct', 'tbl', 'tb', 't', 'raw', 'stg', 'src', 'ods', 'dwd', 'dws', 'ads', 'v', 'vw']);
/** Words that mark a column as a key if they end its name. */
const keyWords = new Set(['id', 'code', 'key', 'no', 'num', 'number', 'fk', 'pk', 'uuid', 'guid', 'sk']);
const chineseKeyWord = /(?:编号|编码|代码|号码|标识|主键|号|码)$/u;
/** The key words of more than one character. A single one may belong to the word before it: 账号, 型号, 密码. */
const wholeChineseKeyWord = /(?:编号|编码|代码|号码|标识|主键)$/u;
/** Words that end in `id` and are not the key of something. */
const plainWords = new Set(
  'paid valid invalid grid solid fluid orchid hybrid android covid void bid acid liquid pyramid asteroid polaroid humanoid rapid'.split(
    ' ',
  ),
);
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

/** The words of a column without those that only say that it is a key: `customer_id` and `CustomerID` mean customer, 账号 means 账. */
export function meaningOf(column: string): string[] {
  return withoutKeyWord(column, chineseKeyWord);
}

/**
 * The words by which a relation is named after the column that refers to a row of `table`. They are those of `meaningOf`, but a key word of
 * one character stays if the rest does not name the row: 账号 stays whole.
 */
export function relationWordsOf(column: string, table: string): string[] {
  const meaning = meaningOf(column);
  const [called, rows] = [meaning.join(''), namesOfRow(table)];
  return [...rows].some(row => called === row || (isChinese(row) && called.endsWith(row)))
    ? meaning
    : withoutKeyWord(column, wholeChineseKeyWord);
}

function withoutKeyWord(column: string, chinese: RegExp): string[] {
  const words = wordsOf(column).map(word => (isChinese(word) ? word.replace(/id$/u, '').replace(chinese, '') : word));
  if (words.length > 1 && keyWords.has(words.at(-1)!)) words.pop();
  // Cut `id` off `customerid`, which is one word.
  else if (words.length > 0 && !plainWords.has(words.at(-1)!)) words.push(words.pop()!.replace(/(?<=\p{L}{3})id$/u, ''));
  return words.filter(word => word !== '');
}

/** The words by which a column may name a row, each in one word: with and without the words that only mark it as a key. */
export function callsOf(column: string): string[] {
  return [...new Set([meaningOf(column).join(''), wordsOf(column).join('')])];
}

/** Whether the name of a column marks it as a key: `customer_id`, 编号. */
export function isKeyName(column: string): boolean {
  const words = wordsOf(column);
  return keyWords.has(words.at(-1) ?? '') || meaningOf(column).join('') !== words.join('');
}

/** The words by which a column may name a row of the table: orderdetails or orderdetail for `order_details`. */
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

/** Whether a column is named after the rows of the table: `customer_id` after `customers`. */
export function namesRowOf(column: string, { bareName, comment }: NamedTable): boolean {
  const meaning = meaningOf(column).join('');
  return namesOfRow(bareName).has(meaning) || namesOfRow(wordIn(comment) ?? '').has(meaning);
}

/** Whether a column is named like the key of its own table: `id`, or `customer_id` in `customers`. */
export function isOwnKey(column: string, table: NamedTable): boolean {
  return isKeyName(column) && (plainKeys.has(wordsOf(column).join('')) || namesRowOf(column, table));
}

/** How well the name of a column fits a reference to a key of a table: from 0, not at all, to 3, the column is named like a row. */
export function fitOfNames(column: string, table: string, key: string): number {
  const rows = namesOfRow(table);
  const meaning = meaningOf(column);
  const calls = callsOf(column);
  if (calls.some(call => rows.has(call))) return 3;
  // `billing_customer_id` and 上级部门编号 begin with a role and end with the name of a row.
  for (let from = 1; from < meaning.length; from++) if (rows.has(meaning.slice(from).join(''))) return 2;
  if ([...rows].some(row => isChinese(row) && calls.some(call => call.endsWith(row)))) return 2;
  // The key `id` exists in every table, so an equal name does not count.
  const isNamedKey = !['', wordsOf(key).join('')].includes(meaningOf(key).join(''));
  return isNamedKey && wordsOf(column).join('') === wordsOf(key).join('') ? 1 : 0;
}

/** Names of columns that refer to another row of their own table. Those of `toOwnTableToo` may also refer to a row of another table. */
const toOwnTable = /^(?:parent|parentnode|reportsto|上级|上一级|父级|父|父节点|父类)$/u;
const toOwnTableToo = new Set(
  ['manager', 'mgr', 'supervisor', 'boss', 'mentor', 'leader', 'superior', 'predecessor', 'successor', 'ancestor', 'root', 'previous', 'prev']
    .concat(['next', 'original', 'replyto', 'inreplyto', 'replaces', 'replacedby', 'supersedes', 'supersededby', 'duplicateof', 'mergedinto'])
    .concat(['referrer', 'referredby', 'inviter', 'invitedby', '主管', '经理', '领导', '直属上级', '直接上级', '推荐人', '介绍人', '邀请人'])
    .concat(['上一个', '下一个', '前一个', '后一个', '母公司', '总公司', '原件']), // prettier-ignore
);

/** The roles of `toOwnTableToo` that only a person has. */
const personRoles = new Set(
  ['manager', 'mgr', 'supervisor', 'boss', 'mentor', 'leader', 'referrer', 'referredby', 'inviter', 'invitedby']
    .concat(['主管', '经理', '领导', '推荐人', '介绍人', '邀请人']), // prettier-ignore
);
const personWords =
  /(?:employee|staff|user|person|people|personnel|member|contact|customer|client|worker|student|teacher|agent|partner|\b(?:emp|rep))s?(?: (?:info|master|data|profile|list|record|detail)s?)*$/;
const chinesePersonWords =
  /(?:员|人|员工|职工|用户|会员|客户|顾客|学生|教师|老师|代理商?|经销商)(?:基本)?(?:信息|档案|资料|名单|名册|列表)?表?$/u;

/** Whether the rows of a table of this name are persons: `dim_employee`, 员工信息表. */
function namesPersons(table: string): boolean {
  const words = wordsOf(table).join(' ');
  return personWords.test(words) || chinesePersonWords.test(words);
}

/**
 * How well the name of a column fits a reference to its own table: 3 if it fits, 2 if another table of that name would fit better, 0 if it
 * does not fit.
 * @param tables the names of the table. A role such as manager fits only a table of persons: the manager of a department is not a
 *   department.
 */
export function fitOfOwnTable(column: string, tables: readonly string[]): number {
  const meaning = meaningOf(column).join('');
  if (toOwnTable.test(meaning)) return 3;
  return toOwnTableToo.has(meaning) && (!personRoles.has(meaning) || tables.some(namesPersons)) ? 2 : 0;
}

/** Names of columns that hold the name of a thing, in any table. */
const captions = new Set(['name', 'title', 'label', 'description', '名称', '姓名', '名字', '标题', '描述']);

/** Whether two columns have the same name, other than a name that columns of any table have, such as `id` or `title`. */
export function shareName(column: string, other: string): boolean {
  const name = wordsOf(column).join('');
  return name === wordsOf(other).join('') && !plainKeys.has(name) && !captions.has(name);
}

/** Whether a column is named after the key of another table: `region_id`, 部门编号, but not `id` or `postal_code`. */
export function namesForeignKey(column: string): boolean {
  return (
    !plainKeys.has(wordsOf(column).join('')) &&
    /(?:^|[^\p{Ll}])(?:id|fk|uuid|guid)$|(?:\p{Ll}(?:ID|Id|FK|UUID|Guid))$|(?:编号|标识)$/u.test(column)
  );
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
