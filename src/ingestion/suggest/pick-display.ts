import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { sourceFamily } from '../staging/source-type.js';
import { isSensitiveName } from '../../text/sensitive-names.js';
import { wordsOf } from '../../text/key-names.js';

/** The names of columns that hold the name of a thing, the clearest first. */
const exact = ['displayname', 'fullname', 'name', '名称', '姓名', '名字'];
/**
 * The name of a column that holds a person's last name. It stands for the person's name, because only one column can be shown. It is tried
 * before `titles`, because a title beside a last name is the title of the person.
 */
const lastName = 'lastname';
const titles = ['title', '标题', 'label', 'subject', '主题'];
const endings = /(?:_name|[a-z]Name|_title|名称|姓名|名|标题)$/;
/**
 * The column whose value nodes show as their caption: one that is named like a caption, or else the key if it is one column. Null for other
 * nodes, which show their keys.
 */
export function pickDisplay(columns: TableColumn[], key: string[]): string | null {
  const texts = columns.filter(({ name, type }) => isText(type) && !key.includes(name) && !isSensitiveName(name));
  for (const name of [...exact, lastName, ...titles]) {
    const found = texts.find(column => wordsOf(column.name).join('') === name);
    if (found) return found.name;
  }
  const named = texts.find(({ name }) => endings.test(name));
  if (named) return named.name;
  const [only, ...more] = key;
  return only === undefined || more.length > 0 || isSensitiveName(only) ? null : only;
}

function isText(type: string): boolean {
  return sourceFamily(type) === 'text' && /^(?:text|varchar|char|character|bpchar)\b/.test(type);
}
