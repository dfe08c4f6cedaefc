import { type Bilingual } from '../../text/bilingual.js';
import { prepareCypher } from '../../cypher/prepare-cypher.js';
import { compilePlan } from '../../cypher/executors/sql/compile-plan.js';
import { quoteName } from '../../questions/planning/cypher-writer.js';
import { type GraphPlan, type UndatedCount } from '../../questions/planning/question-plan.js';
import { type GraphElements } from './graph-elements.js';
import { type GraphReader } from './retrieval-database.js';

/** Maximum time in ms of one count: it serves a warning, and the answer waits for it. */
const countMs = 1_000;
/** The dates that no node or edge of a version lacks, or that could not be counted. A schema belongs to one version of a graph. */
const complete = new WeakMap<GraphElements, Set<string>>();

/**
 * Notes how many things the answer leaves out because they have no date, as no time contains them. Empty if there are none, and if
 * counting them fails or takes too long, which must not fail the question. It reads last, because a failed statement ends the transaction.
 */
export async function noteUndated(
  reader: GraphReader,
  schema: GraphElements,
  { undated, parameters }: GraphPlan,
  signal: AbortSignal,
): Promise<Bilingual[]> {
  if (!undated) return [];
  const { owner, ownerName, property } = undated;
  const date = JSON.stringify([owner, ownerName, property]);
  const known = complete.get(schema) ?? new Set();
  complete.set(schema, known);
  if (known.has(date)) return [];
  const count = async (cypher: string, given: Record<string, unknown>): Promise<number> => {
    const { plan } = prepareCypher(cypher, schema, JSON.stringify(given));
    if (!plan) return 0;
    const { sql, parameters: values } = compilePlan(plan, { graphId: reader.graphId, limit: 1 });
    return Number((await reader.rows(sql, values))[0]?.[0] ?? 0);
  };
  let isAsked = false;
  try {
    await reader.rows(`SET LOCAL statement_timeout = ${countMs}`);
    // Most dates are complete. This is asked once a version, and without the pattern of the question.
    const all = await count(allUndated(undated), {});
    isAsked = true;
    const left = all > 0 ? await count(undated.cypher, parameters) : 0;
    if (all === 0) known.add(date);
    return left > 0 ? [leftOut(left, undated)] : [];
  } catch {
    signal.throwIfAborted();
    // Only the count that is the same for all questions tells that the next one would fail too.
    if (!isAsked) known.add(date);
    return [];
  }
}

function allUndated({ owner, ownerName, property }: UndatedCount): string {
  const pattern = owner === 'node' ? `(x:${quoteName(ownerName)})` : `()-[x:${quoteName(ownerName)}]->()`;
  return `MATCH ${pattern} WHERE x.${quoteName(property)} IS NULL RETURN count(x) AS n`;
}

function leftOut(count: number, { owner, ownerName, property }: UndatedCount): Bilingual {
  const isOne = count === 1;
  return {
    zh: `有 ${count} ${owner === 'node' ? '个' : '条'}“${ownerName}”没有“${property}”，不属于任何时段，未计入`,
    en: `${count} of "${ownerName}" ${isOne ? 'has' : 'have'} no "${property}", so no period contains ${isOne ? 'it' : 'them'}, and ${isOne ? 'it is' : 'they are'} left out`,
  };
}
