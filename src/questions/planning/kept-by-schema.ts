import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';

/**
 * Keeps what a function says of a schema and some words, as long as the schema lives, which is one question. A question has some sixty
 * words, and a schema up to ten thousand names of one relation, which each word would otherwise go through again.
 */
export function keptBySchema<T>(compute: (schema: GraphSchema, ...words: string[]) => T): (schema: GraphSchema, ...words: string[]) => T {
  return keptBy(compute);
}

/** Keeps what a function says of an object, such as a metric, and some words, as long as the object lives. */
export function keptBy<S extends object, W extends string[], T>(compute: (of: S, ...words: W) => T): (of: S, ...words: W) => T {
  const kept = new WeakMap<S, Map<string, T>>();
  return (of, ...words) => {
    const known = kept.get(of) ?? new Map<string, T>();
    kept.set(of, known);
    const key = words.join('\0');
    if (!known.has(key)) known.set(key, compute(of, ...words));
    return known.get(key)!;
  };
}
