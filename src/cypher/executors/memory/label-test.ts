import { type Name } from '../../syntax/cypher-ast.js';
import { spend } from '../../syntax/effort.js';

/** Whether a node has labels that a pattern or condition names: every group must hold, and one label of a group is enough. */
export function labelTest(groups: readonly (readonly Name[])[]): (labels: readonly string[]) => boolean {
  const sets = new Map(groups.map(group => [group.map(({ name }) => name).join('|'), new Set(group.map(({ name }) => name))]));
  const wanted = [...sets.values()];
  return labels => {
    spend(wanted.length);
    return wanted.every(names => labels.some(label => names.has(label)));
  };
}
