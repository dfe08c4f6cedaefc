import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { GraphAccessService } from '../../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../../graphs/graphs.errors.js';
import { isTimeZone, timeZoneForm } from '../../text/time-zone.js';
import { requirePostgresSql } from '../../warehouse/require-postgres-sql.js';
import { type UsableConnection, WarehouseService } from '../../warehouse/warehouse.service.js';
import { parseFormula } from '../formula/parse-formula.js';
import { MetricsRepository } from '../metrics.repository.js';
import { guardFormula } from '../plan/guard-formula.js';
import { type SuggestBindingRequest, type SuggestBindingResponse, toSuggestBindingResponse } from './binding-suggestion.dto.js';
import { identifier } from './binding.dto.js';
import { unknownTable } from './unknown-table.js';
import { guessReferences, type LeftOut, tablesByRow } from './guess-references.js';
import { draftBinding, type DraftJoin, type DraftTable } from './draft-binding.js';

/** Each is a table to describe now, and to check for repeated keys when the draft is bound. */
const mostJoins = 8;
const mostGuessingMs = 10_000;

/** Drafts bindings from the tables of a connection. */
@Injectable()
export class BindingSuggestionsService {
  constructor(
    private readonly warehouse: WarehouseService,
    private readonly metrics: MetricsRepository,
    private readonly access: GraphAccessService,
  ) {}

  /**
   * @throws SchemaError for an unknown table, FormulaParseError, UnsafeFilterClauseError, RecordNotFoundError, ConnectionNotFoundError,
   * ConnectionForbiddenError, DialectNotBuiltError, and the errors of a client that cannot be reached
   */
  async suggest(principal: Principal, request: SuggestBindingRequest): Promise<SuggestBindingResponse> {
    const { timezone = null } = request;
    if (timezone !== null && !isTimeZone(timezone))
      throw new SchemaError([{ loc: ['body', 'timezone'], text: timeZoneForm, type: 'unknown_timezone' }]);
    const formula = await this.formulaOf(principal, request);
    const connection = await this.warehouse.open(principal, request.connection_id ?? null);
    requirePostgresSql(connection.client);
    const fact = await this.readFact(connection, request.table);
    const { joins, leftOut } = await readJoins(connection, fact);
    const draft = draftBinding(connection.id, fact, joins, namesOf(formula, fact.alias), timezone);
    return toSuggestBindingResponse({ ...draft, leftOut: [...draft.leftOut, ...leftOut] });
  }

  private async formulaOf(principal: Principal, { formula, metric_id: id }: SuggestBindingRequest): Promise<string | null> {
    if (id == null) return formula ?? null;
    if (formula != null) {
      const text = { zh: '只能给出 metric_id 与 formula 之一', en: 'give either metric_id or formula' };
      throw new SchemaError([{ loc: ['body', 'metric_id'], text, type: 'one_of' }]);
    }
    const metric = await this.metrics.find(id);
    if (!metric) throw new RecordNotFoundError('metric');
    await this.access.require(principal, metric.graphId, 'viewer');
    return metric.formula;
  }

  private async readFact(connection: UsableConnection, table: string): Promise<DraftTable> {
    const fact = await describe(connection, table, new Set());
    if (fact) return fact;
    const loc = ['body', 'table'];
    const reserved = connection.client.nameProblem(table);
    if (!reserved) throw new SchemaError([await unknownTable(connection.catalog, table, loc)]);
    throw new SchemaError([{ loc, text: { zh: reserved.zh, en: reserved.en }, type: reserved.type }]);
  }
}

/** The columns in the aggregates of a formula, as SQL sees them. */
function namesOf(formula: string | null, alias: string): string[] {
  if (formula === null) return [];
  const read = guardFormula(parseFormula(formula).root, formula).flatMap(({ columns }) => columns);
  return [...new Set(read.map(([qualifier, name]) => (qualifier === null || qualifier === alias ? name : `${qualifier}.${name}`)))];
}

/** The tables that the fact table refers to, then those that they refer to, as many as a draft takes. Each table gets the references that it has not declared. */
async function readJoins(connection: UsableConnection, fact: DraftTable): Promise<{ joins: DraftJoin[]; leftOut: LeftOut[] }> {
  const joins: DraftJoin[] = [];
  const leftOut: LeftOut[] = [];
  const aliases = new Set([fact.alias]);
  const tables: (DraftTable | DraftJoin)[] = [fact];
  const deadline = performance.now() + mostGuessingMs;
  let others: ReadonlyMap<string, string[]> | null = null;
  for (let from = tables.shift(); from; from = tables.shift()) {
    if (from.foreignKeys.length === 0) {
      others ??= tablesByRow(connection, await connection.catalog.listNames());
      const guessed = await guessReferences(connection, from, others, deadline);
      from.foreignKeys = guessed.references;
      leftOut.push(...guessed.leftOut);
    }
    for (const key of from.foreignKeys) {
      // A row that refers to one of its own kind would be followed without end.
      if (pathOf(from).includes(key.table)) continue;
      if (joins.length >= mostJoins) {
        leftOut.push({ table: key.table, columns: [], reason: tooMany });
        continue;
      }
      const table = await describe(connection, key.table, aliases, key.columns.join('_'));
      if (!table || key.columns.length > 8 || !identifier.test(table.name)) {
        leftOut.push({ table: key.table, columns: [], reason: unreadable });
        continue;
      }
      const join = { ...table, from, key };
      aliases.add(join.alias);
      joins.push(join);
      tables.push(join);
    }
  }
  return { joins, leftOut };
}

function pathOf(table: DraftTable | DraftJoin): string[] {
  return 'from' in table ? [table.name, ...pathOf(table.from)] : [table.name];
}

/** Null for a table that is not there, or that SQL cannot name. */
async function describe({ client, catalog }: UsableConnection, name: string, taken: Set<string>, by = ''): Promise<DraftTable | null> {
  if (client.nameProblem(name)) return null;
  const described = await catalog.describe(name);
  if (!described) return null;
  const bare = client.place(name).table;
  const numbered = Array.from({ length: mostJoins }, (_, at) => `t${at + 1}`);
  const alias = [bare, `${bare}_${by}`, ...numbered].find(
    each => Buffer.byteLength(each) <= 63 && identifier.test(each) && !taken.has(each),
  );
  return { ...described, name, alias: alias! };
}

const tooMany = { zh: `草稿最多连接 ${mostJoins} 张表`, en: `a draft joins at most ${mostJoins} tables` };
const unreadable = { zh: '表不可读，或不能在绑定中写出', en: 'the table cannot be read, or cannot be named in a binding' };
