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
/** The number of fields in a row before its texts. */
const ownFields = 4;

/** The arrays of a graph that searches and questions need, and its to-one edge types, as a flat record. */
export type IndexRecord = SearchArrays & ValueArrays & { toOne: ToOne };

/**
 * Reads the nodes of a graph into a search index, label by label and then by id, so that the index of a version is always the same. Reads
 * only the string properties, cut to the searched length. Measured with `npm run bench -- search`.
 * @throws the error of `room` as soon as the room is too small
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
    // COPY takes no parameters. The names come from the graph's schema, and are quoted as PostgreSQL's own client quotes a text.
    const sql = `SELECT id, to_json(label || labels), left(key, ${longestName}), left(display, ${longestName})${texts.join('')}
      FROM ${reader.tables.nodes} WHERE label = ${pg.escapeLiteral(element.name)} ORDER BY id`;
    await reader.copy(sql, chunk => {
      rows.push(chunk);
      room.took(builder.bytes + values.bytes);
    });
  }
  const pace = new Pace();
  const build = async () => ({ ...(await values.build(pace)), ...(await builder.build(pace)) });
  // The server sends the edges while this thread builds the index.
  const [built, toOne] = await Promise.all([build(), readToOneTypes(reader)]);
  return { ...built, toOne };
}

/**
 * The string properties of a label that are searched as texts. The display property has a field of its own, and key properties repeat the
 * key, so they are left out.
 */
function searchedProperties(element: LabelSchema): PropertySchema[] {
  const known = new Set([element.displayProperty, ...element.keyProperties]);
  return element.properties.filter(property => searchedTypes.has(property.type) && !known.has(property.name));
}

/**
 * The values that a question can name: the text of a property, or each text of a list. A list that was cut to the searched length has no
 * values, because its JSON is incomplete.
 */
export function valuesIn(text: string | null, type: string): string[] {
  if (text === null) return [];
  if (type !== 'string[]') return [text];
  try {
    return (JSON.parse(text) as unknown[]).filter(value => typeof value === 'string');
  } catch {
    return [];
  }
}
