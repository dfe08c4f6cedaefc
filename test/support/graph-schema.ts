import { type EdgeSchema, type LabelSchema } from '../../src/cypher/semantics/graph-schema.js';

export function aLabel(name: string, schema: Partial<LabelSchema> = {}): LabelSchema {
  return { name, aliases: [], keyProperties: [], displayProperty: null, properties: [], rowCount: 1, ...schema };
}

export function anEdge(type: string, sourceLabel: string, targetLabel: string, schema: Partial<EdgeSchema> = {}): EdgeSchema {
  return { type, aliases: [], sourceLabel, targetLabel, properties: [], rowCount: 1, ...schema };
}
