import { type Bilingual } from '../../text/bilingual.js';
import { languageOf } from '../../text/language.js';
import { type RetrievalAnswer, type RetrievalQuery } from '../protocol.js';
import { type LoadedGraphs } from './loaded-graphs.js';
import { type RetrievalDatabase } from './retrieval-database.js';
import { runCypher } from './run-cypher.js';
import { runQuestion } from './run-question.js';
import { runSearch } from './run-search.js';

function olderVersion(version: number, newest: number): Bilingual {
  return {
    zh: `图的第 ${newest} 版正在载入，答案出自第 ${version} 版；稍后再问即得新版的答案`,
    en: `Version ${newest} of the graph is being loaded, so version ${version} has answered; ask again in a moment for the newer one`,
  };
}

/** Answers one query of the protocol. */
export async function runQuery(
  anyVersion: RetrievalDatabase,
  graphs: LoadedGraphs,
  request: RetrievalQuery,
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  const database = anyVersion.atLeast(request.least_version ?? 0);
  const language = languageOf(request.text);
  const { least_version: newest = 0, oldest_version: oldestVersion = request.least_version } = request;
  const query = {
    graphId: request.graph_id,
    text: request.text,
    limit: request.limit,
    timeoutMs: request.timeout_ms,
    language,
    ...(oldestVersion === undefined ? {} : { oldestVersion }),
  };
  const answer = await answerOf();
  if (answer.graph_version < newest) {
    answer.is_of_its_moment = true;
    answer.warnings.unshift(olderVersion(answer.graph_version, newest)[answer.language]);
  }
  answer.timing_ms.total = performance.now() - started;
  for (const [phase, ms] of Object.entries(answer.timing_ms)) answer.timing_ms[phase] = Math.round(ms * 100) / 100;
  return answer;

  function answerOf(): Promise<RetrievalAnswer> {
    switch (request.kind) {
      case 'search': {
        const expected = request.expected_version === undefined ? {} : { expectedVersion: request.expected_version };
        return runSearch(database, graphs, { ...query, offset: request.offset ?? 0, filter: request.filter ?? null, ...expected }, signal);
      }
      case 'cypher': {
        const { parameters = '{}', timezone: timeZone = 'UTC', profile = false } = request;
        return runCypher(database, graphs, { ...query, parameters, timeZone, profile }, signal);
      }
      case 'question':
        return runQuestion(
          database,
          graphs,
          {
            ...query,
            today: request.today,
            metrics: request.metrics ?? [],
            synonyms: request.synonyms ?? [],
            choices: request.choices ?? [],
            earlier: request.earlier ?? null,
          },
          signal,
        );
      default:
        throw new Error(`Unknown kind of query ${String(request.kind satisfies never)}`);
    }
  }
}
