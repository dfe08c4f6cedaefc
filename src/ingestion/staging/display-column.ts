import { type NodeMapping } from '../mapping/mapping.js';
import { type ResolvedType } from './column-sql.js';

/** Common names of the column with a thing's name, the clearest first. */
const exact = ['display_name', 'full_name', 'name', '名称', '姓名', '名字', 'title', '标题', 'label'];
const endings = /(?:_name|[a-z]Name|名称|姓名|名)$/;

/**
 * The source column by which nodes are shown: the mapping's `display`, otherwise the first text column with such a name. Null if
 * there is none; nodes are then shown by their keys. Sensitive columns and key columns are never taken.
 * @param types of the mapped columns, in their order
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
