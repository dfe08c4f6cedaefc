import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { sourceFamily } from '../staging/source-type.js';
import { isSensitiveName } from '../../text/sensitive-names.js';
import { wordsOf } from '../../text/key-names.js';

/** Names of the column with a thing's name, the clearest first. */
const exact = ['displayname', 'fullname', 'name', '名称', '姓名', '名字'];
/**
 * The last name of a person, which tells most of their names: only one column can be shown. It comes before `titles`, since a title
 * beside it is the person's.
 */
const lastName = 'lastname';
const titles = ['title', '标题', 'label', 'subject', '主题'];
const endings = /(?:_name|[a-z]Name|_title|名称|姓名|名|标题)$/;
/** Texts that go on for long. */
const long = /(?:description|comment|note|content|body|text|remark|url|path|address|备注|描述|说明|内容|地址)/i;
const longest = 255;

/** The column by which nodes are shown, and whether its name says so. Null if their keys must do. */
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

/** Text without a bound counts as short unless its name says otherwise: uploaded tables have only such columns. */
function isShort(name: string, length: number | null): boolean {
  return length === null ? !long.test(name) : length <= longest;
}

function lengthOf(type: string): number | null {
  const length = /\((\d+)\)/.exec(type)?.[1];
  return length === undefined ? null : Number(length);
}
