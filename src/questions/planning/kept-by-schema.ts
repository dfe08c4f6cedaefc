import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';

/**
 * Keeps what a function says of a schema and some words, as long as the schema lives, which is one question. A question has some sixty
 * words, and a schema up to ten thousand names of one relation, which each word would otherwise go through again.
 */
export function keptBySchema<T>(compute: (schema: GraphSchema, ...words: string[]) => T): (schema: GraphSchema, ...words: string[]) => T {
  const kept = new WeakMap<GraphSchema, Map<string, T>>();
  return (schema, ...words) => {
    const known = kept.get(schema) ?? new Map<string, T>();
    kept.set(schema, known);
    const key = words.join('\0');
    if (!known.has(key)) known.set(key, compute(schema, ...words));
    return known.get(key)!;
  };
}
