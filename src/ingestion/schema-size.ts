import { type Target } from './staging/target.js';

/**
 * The size of a graph's schema. `names` is the number of labels and edge types. Each label and edge type counts once for each job that
 * loads it, with its aliases and properties.
 */
export interface SchemaSize {
  names: number;
  aliases: number;
  properties: number;
}

/** The largest schema of a graph. Every question and query reads the whole schema, in time that grows with these numbers. */
export const mostInSchema: SchemaSize = { names: 2_000, aliases: 10_000, properties: 20_000 };

export function sizeOfTargets(targets: readonly Target[]): SchemaSize {
  return targets.reduce<SchemaSize>(
    ({ names, aliases, properties }, { kind, element }) => {
      const further = kind === 'node' ? element.labels : [];
      return {
        names: names + 1 + further.length,
        aliases: aliases + [element, ...further].reduce((sum, each) => sum + each.aliases.length, 0),
        properties: properties + element.columns.length,
      };
    },
    { names: 0, aliases: 0, properties: 0 },
  );
}
