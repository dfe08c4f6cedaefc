import { type NodeMapping } from '../mapping/mapping.js';
import { type ResolvedType } from './column-sql.js';

/** Common names of columns that hold the name of a thing, the clearest first. */
const exact = ['display_name', 'full_name', 'name', '名称', '姓名', '名字', 'title', '标题', 'label'];
const endings = /(?:_name|[a-z]Name|名称|姓名|名)$/;

/**
 * The source column whose value nodes show as their caption. It is the mapping's `display` or else the first text column whose name is
 * common for captions. Null if there is no such column, so that nodes show their keys. Sensitive columns and key columns are never chosen
 * by name.
 * @param types the types of the mapped columns, in their order
 */
export function displayColumn({ display, columns, key }: NodeMapping, types: ResolvedType[]): string | null {
  if (display !== null) return display;
  const texts = columns.flatMap(({ source, property, sensitive }, index) =>
    source.kind === 'column' && types[index]?.name === 'string' && !sensitive && !key.includes(source.column)
      ? [{ column: source.column, names: [source.column, property] }]
      : [],
  );
  for (const name of exact) {
    const found = texts.find(({ names }) => names.some(each => each.toLowerCase() === name));
    if (found) return found.column;
  }
  return texts.find(({ names }) => names.some(each => endings.test(each)))?.column ?? null;
}
