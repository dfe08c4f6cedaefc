import pg from 'pg';
import { Pace } from '../../common/turns/pace.js';
import { longestText, SearchIndexBuilder } from '../../graph-index/search-index-builder.js';
import { type SearchArrays } from '../../graph-index/search-arrays.js';
import { type ValueArrays, ValueDictionaryBuilder } from '../../graph-index/value-dictionary.js';
import { type ToOne } from '../../questions/planning/schema-paths.js';
import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type GraphElements } from './graph-elements.js';
import { CopyRows, FieldNumbers } from './load/copy-rows.js';
import { type LoadRoom } from './load/load-room.js';
import { type GraphReader } from './retrieval-database.js';
import { readToOneTypes } from './to-one-types.js';

const longestName = 2_000;
const searchedTypes = new Set(['string', 'string[]', 'text', 'mixed']);
/** The fields of a row before its texts. */
const ownFields = 4;

/** Parts of a graph that searches and questions need, as a flat record. */
export type IndexRecord = SearchArrays & ValueArrays & { toOne: ToOne };

/**
 * Reads the nodes of a graph into a search index, one label after the other by id, so that the index of a version is always the same. It
 * reads only the string properties, cut to the searched part. Measured with `npm run bench -- search`.
 * @throws what the room throws as soon as it is too small
 */
export async function loadIndex(reader: GraphReader, schema: GraphElements, room: LoadRoom): Promise<IndexRecord> {
  const values = new ValueDictionaryBuilder();
  const builder = new SearchIndexBuilder();
  const sets = new FieldNumbers();
  const labelsOf: string[][] = [];
  for (const element of schema.labels) {
    const properties = searchedProperties(element);
    const texts = properties.map(({ name }) => `, left(properties ->> ${pg.escapeLiteral(name)}, ${longestText})`);
    const rows = new CopyRows(ownFields + texts.length, row => {
      const set = sets.numberOf(row, 1);
      const labels = (labelsOf[set] ??= JSON.parse(sets.texts[set]!) as string[]);
      const found = properties.map((_, i) => (row.isNull(ownFields + i) ? null : row.text(ownFields + i)));
      builder.add({ id: row.integer(0), labels, key: row.text(2), display: row.text(3), texts: found.filter(text => text !== null) });
      properties.forEach(({ name, type }, i) => {
        for (const value of valuesIn(found[i] ?? null, type)) values.add(element.name, name, value);
      });
    });
    // COPY takes no parameters. Names are those of the graph's schema, quoted as PostgreSQL's own client quotes a text.
    const sql = `SELECT id, to_json(label || labels), left(key, ${longestName}), left(display, ${longestName})${texts.join('')}
      FROM ${reader.tables.nodes} WHERE label = ${pg.escapeLiteral(element.name)} ORDER BY id`;
    await reader.copy(sql, chunk => {
      rows.push(chunk);
      room.took(builder.bytes + values.bytes);
    });
  }
  const pace = new Pace();
  const build = async () => ({ ...(await values.build(pace)), ...(await builder.build(pace)) });
  // The server reads the edges while the index is built.
  const [built, toOne] = await Promise.all([build(), readToOneTypes(reader)]);
  return { ...built, toOne };
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
