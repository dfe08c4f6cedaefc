import { type Pace } from '../../common/turns/pace.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { type CompiledQuery, compilePlan } from '../../cypher/executors/sql/compile-plan.js';
import { findMatchesBehind } from '../../cypher/plan/find-matches-behind.js';
import { findOperator, patternsOf, type QueryPlan } from '../../cypher/plan/operators.js';
import { NotInSqlError } from '../../cypher/semantics/not-in-sql.error.js';
import { sqlstateOf } from '../../sql/sqlstate.js';
import { type Citation, type ExecutorReason } from '../protocol.js';
import { AnswerElements } from './answer-elements.js';
import { type Executed } from './assemble-answer.js';
import { decodeRows } from './decode-rows.js';
import { explainFailure } from './explain-failure.js';
import { type GraphElements } from './graph-elements.js';
import { keepTied } from './keep-tied.js';
import { profileSql } from './profile-sql.js';
import { type GraphReader } from './retrieval-database.js';
import { type CypherRequest } from './cypher-request.js';
import { citeSources } from './to-citations.js';

/** The most matches that are cited as examples of the matches behind an aggregate's rows. */
const exampleMatches = 50;

/**
 * Runs a plan as SQL. Returns a reason if the query must run in memory instead: SQL cannot calculate exactly with some value, or the
 * statement is too complex. After an error of the statement the reader's transaction has failed and takes no further statements.
 */
export async function executeInSql(
  reader: GraphReader,
  schema: GraphElements,
  plan: QueryPlan,
  request: CypherRequest,
  pace: Pace,
): Promise<Executed | ExecutorReason> {
  try {
    return await execute(reader, schema, plan, request, pace);
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    if (sqlstate.startsWith('22')) return 'value_decides';
    if (error instanceof NotInSqlError || sqlstate.startsWith('54')) return 'only_in_memory';
    throw explainFailure(error);
  }
}

async function execute(
  reader: GraphReader,
  schema: GraphElements,
  plan: QueryPlan,
  { limit, profile, top }: CypherRequest,
  pace: Pace,
): Promise<Executed> {
  // One row more than the caller asked for shows whether there are more rows.
  const compiled = compilePlan(plan, { graphId: reader.graphId, limit: limit + 1 });
  const found = keepTied(await fetchRows(reader, compiled, pace), top);
  const isTruncated = found.length > limit;
  const rows = isTruncated ? found.slice(0, limit) : found;
  const cited = rows.length > 0 && restsOnMatches(plan) ? await citeMatches(reader, plan, rows, pace) : null;
  return {
    columns: plan.columns,
    rows,
    isTruncated,
    examples: cited?.examples ?? new AnswerElements(),
    isCut: false,
    tables: cited?.isWhole ? citeTables(schema, plan) : [],
    warnings: cited?.warnings ?? [],
    plan: { executor: 'sql', sql: compiled.sql, ...(profile && { profile: await profileSql(reader, plan, compiled) }) },
    isOfItsMoment: false,
  };
}

/** Whether rows rest on matches that they do not show, because one row stands for many matches. */
function restsOnMatches(plan: QueryPlan): boolean {
  const aggregation = findOperator(plan.root, 'aggregate');
  if (!aggregation) return false;
  const shown = new Set(aggregation.keys.map(({ expression }) => (expression.kind === 'variable' ? expression.name : null)));
  const matched = patternsOf(plan).flatMap(({ nodes, edges }) => [...nodes, ...edges]);
  return aggregation.aggregates.length > 0 || matched.some(({ variable }) => !shown.has(variable));
}

async function fetchRows(reader: GraphReader, compiled: CompiledQuery, pace: Pace): Promise<AnswerRow[]> {
  const cells = await reader.rows(compiled.sql, compiled.parameters);
  return decodeRows(compiled, cells as (string | null)[][], reader.answerMaxBytes, pace);
}

/** The first matches behind the rows of an aggregate. `isWhole`: no single matches were found, so whole tables must be cited. */
async function citeMatches(
  reader: GraphReader,
  plan: QueryPlan,
  rows: AnswerRow[],
  pace: Pace,
): Promise<{ examples: AnswerElements; isWhole: boolean; warnings: Bilingual[] }> {
  const shown = rows.slice(0, exampleMatches).map(({ values }) => values);
  const behind = findMatchesBehind(plan, shown);
  const examples = new AnswerElements();
  const matches = behind ? await fetchRows(reader, compilePlan(behind.plan, { graphId: reader.graphId, limit: exampleMatches }), pace) : [];
  for (const match of matches) if (match.behind) examples.addBehind(match.behind);
  // A count of 0 rests on no matches, so there is nothing to cite.
  if (behind && !behind.isLimited && examples.isEmpty) return { examples, isWhole: false, warnings: [] };
  if (examples.isEmpty) {
    const text = {
      zh: '无法列出结果所依据的各行，只引用其所在的表',
      en: 'The single rows behind the result cannot be told; their tables are cited',
    };
    return { examples, isWhole: true, warnings: [text] };
  }
  const isCapped = matches.length === exampleMatches || rows.length > exampleMatches;
  const text = { zh: `引用只列出前 ${exampleMatches} 个匹配`, en: `Citations list the first ${exampleMatches} matches only` };
  return { examples, isWhole: false, warnings: isCapped ? [text] : [] };
}

/** Cites the tables of the plan's labels and edge types, each once; all tables if the plan names neither labels nor types. */
function citeTables(schema: GraphElements, plan: QueryPlan): Citation[] {
  const patterns = patternsOf(plan);
  const labels = new Set(patterns.flatMap(({ nodes }) => nodes.flatMap(node => node.labels.flat())));
  const types = new Set(patterns.flatMap(({ edges }) => edges.flatMap(edge => edge.types)));
  const sources = schema.sources.filter(({ kind, name }) =>
    labels.size + types.size === 0 ? true : (kind === 'node' ? labels : types).has(name),
  );
  return citeSources(sources);
}
