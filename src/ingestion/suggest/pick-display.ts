import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { sourceFamily } from '../staging/source-type.js';
import { isSensitiveName } from '../../text/sensitive-names.js';
import { wordsOf } from '../../text/key-names.js';

/** The names of columns that hold the name of a thing, the clearest first. */
const exact = ['displayname', 'fullname', 'name', '名称', '姓名', '名字'];
/**
 * Names a person's last name, which is the largest part of the person's name, because only one column can be shown. It comes before
 * `titles`, because a title beside a last name is the title of the person.
 */
const lastName = 'lastname';
const titles = ['title', '标题', 'label', 'subject', '主题'];
const endings = /(?:_name|[a-z]Name|_title|名称|姓名|名|标题)$/;
/** Names of columns whose texts are usually long. */
const long = /(?:description|comment|note|content|body|text|remark|url|path|address|备注|描述|说明|内容|地址)/i;
const longest = 255;

/**
 * The column whose value nodes show as their caption, and whether the column's name makes it a caption. Null if nodes have to show their
 * keys.
 */
export function pickDisplay(columns: TableColumn[], key: string[]): { column: string; isNamed: boolean } | null {
  const texts = columns.filter(({ name, type }) => isText(type) && !key.includes(name) && !isSensitiveName(name));
  for (const name of [...exact, lastName, ...titles]) {
    const found = texts.find(column => wordsOf(column.name).join('') === name);
    if (found) return { column: found.name, isNamed: true };
  }
  const named = texts.find(({ name }) => endings.test(name));
  if (named) return { column: named.name, isNamed: true };
  const short = texts.find(({ name, type }) => isShort(name, lengthOf(type)));
  return short ? { column: short.name, isNamed: false } : null;
}

function isText(type: string): boolean {
  return sourceFamily(type) === 'text' && /^(?:text|varchar|char|character|bpchar)\b/.test(type);
}

/**
 * Tells whether a column holds short texts. A column without a length limit counts as short unless its name says otherwise, because all
 * columns of uploaded tables lack a limit.
 */
function isShort(name: string, length: number | null): boolean {
  return length === null ? !long.test(name) : length <= longest;
}

function lengthOf(type: string): number | null {
  const length = /\((\d+)\)/.exec(type)?.[1];
  return length === undefined ? null : Number(length);
}
