import { Pace } from '../../common/turns/pace.js';
import { longestText, SearchIndexBuilder } from '../../graph-index/search-index-builder.js';
import { ValueDictionary } from '../../graph-index/value-dictionary.js';
import { type SearchIndex } from '../../graph-index/search-index.js';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type GraphElements } from './graph-elements.js';
import { type GraphReader } from './retrieval-database.js';

/** The most characters fetched at once. The texts of a row are cut to the part that is indexed. */
const charactersPerFetch = 8_000_000;
const mostRowsPerFetch = 2_000;
const longestName = 2_000;
const searchedTypes = new Set(['string', 'string[]', 'text', 'mixed']);

/**
 * Streams the nodes of a graph into a search index, one label after the other. It reads only the string properties, cut to the
 * searched part, a few thousand rows at once. Measured with `npm run bench`.
 * @throws GraphExceedsMemoryError as soon as the index has outgrown `budgetBytes`.
 */
export async function loadIndex(
  reader: GraphReader,
  schema: GraphElements,
  budgetBytes: number,
): Promise<{ index: SearchIndex; values: ValueDictionary }> {
  const pace = new Pace();
  const values = new ValueDictionary();
  const builder = new SearchIndexBuilder();
  for (const element of schema.labels) {
    const properties = searchedProperties(element);
    const texts = properties.map((_, i) => `left(properties ->> $${i + 2}, ${longestText})`);
    const sql = `DECLARE nodes_of_label NO SCROLL CURSOR FOR
      SELECT id, labels, left(key, ${longestName}), left(display, ${longestName})${texts.map(text => `, ${text}`).join('')} FROM ${reader.tables.nodes} WHERE label = $1`;
    const fetched = Math.floor(charactersPerFetch / (2 * longestName + longestText * texts.length));
    const rowsPerFetch = Math.max(1, Math.min(mostRowsPerFetch, fetched));
    await reader.rows(sql, [element.name, ...properties.map(({ name }) => name)]);
    for (;;) {
      const rows = (await reader.rows(`FETCH ${rowsPerFetch} FROM nodes_of_label`)) as [
        number,
        string[],
        string,
        string,
        ...(string | null)[],
      ][];
      for (const [id, further, key, display, ...found] of rows) {
        if (pace.isOverdue) await pace.turn();
        builder.add({ id, labels: [element.name, ...further], key, display, texts: found.filter(text => text !== null) });
        properties.forEach(({ name, type }, i) => {
          for (const value of valuesIn(found[i] ?? null, type)) values.add(element.name, name, value);
        });
      }
      if (builder.bytes > budgetBytes) throw new GraphExceedsMemoryError(reader.graphId, budgetBytes);
      if (rows.length < rowsPerFetch) break;
    }
    await reader.rows('CLOSE nodes_of_label');
  }
  await values.seal(pace);
  return { index: await builder.build(pace), values };
}

/** Leaves out the display, which has its own field, and key properties, which repeat the key. */
function searchedProperties(element: LabelSchema): PropertySchema[] {
  const known = new Set([element.displayProperty, ...element.keyProperties]);
  return element.properties.filter(property => searchedTypes.has(property.type) && !known.has(property.name));
}

/** The values that a question can name: the text, or each text of a list. A list that was cut to the searched part gives none. */
export function valuesIn(text: string | null, type: string): string[] {
  if (text === null) return [];
  if (type !== 'string[]') return [text];
  try {
    return (JSON.parse(text) as unknown[]).filter(value => typeof value === 'string');
  } catch {
    return [];
  }
}
