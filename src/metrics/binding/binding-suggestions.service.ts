import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { inOneTurn } from '../../common/turns/one-turn.js';
import { inLimitedTurns } from '../../common/turns/pace.js';
import { TimeLeft } from '../../common/turns/time-left.js';
import { GraphAccessService } from '../../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../../graphs/graphs.errors.js';
import { isTimeZone, timeZoneForm } from '../../text/time-zone.js';
import { guessReferences } from '../../warehouse/references/guess-references.js';
import { SourceProbe } from '../../warehouse/references/source-probe.js';
import { type LeftOut } from '../../warehouse/references/source-table.js';
import { type UsableConnection, WarehouseService } from '../../warehouse/warehouse.service.js';
import { parseFormula } from '../formula/parse-formula.js';
import { MetricsRepository } from '../metrics.repository.js';
import { guardFormula } from '../plan/guard-formula.js';
import { type SuggestBindingRequest, type SuggestBindingResponse, toSuggestBindingResponse } from './binding-suggestion.dto.js';
import { type BindableTable, BindableTables } from './bindable-tables.js';
import { isIdentifier } from './binding-expressions.js';
import { missingTable } from './find-table.js';
import { draftBinding, type DraftJoin, type DraftTable } from './draft-binding.js';

/** Maximum joined tables of a draft. Each is described for the draft, and checked for repeated keys when the draft is bound. */
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
   * ConnectionForbiddenError, and the errors of a client that cannot be reached
   */
  async suggest(principal: Principal, request: SuggestBindingRequest): Promise<SuggestBindingResponse> {
    const { timezone = null } = request;
    if (timezone !== null && !isTimeZone(timezone))
      throw new SchemaError([{ loc: ['body', 'timezone'], text: timeZoneForm, type: 'unknown_timezone' }]);
    const formula = await this.formulaOf(principal, request);
    const connection = await this.warehouse.open(principal, request.connection_id ?? null);
    const tables = new BindableTables(connection);
    const fact = await this.readFact(connection, tables, request.table);
    const probe = new SourceProbe(connection, new TimeLeft(mostGuessingMs));
    const { joins, leftOut } = await readJoins(fact, tables, probe);
    const draft = draftBinding(connection.id, fact, joins, await namesOf(formula, fact.alias), timezone);
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

  private async readFact(connection: UsableConnection, tables: BindableTables, table: string): Promise<DraftTable> {
    const fact = await tables.describe(table);
    if (fact) return { ...fact, alias: aliasOf(fact, new Set(), '') };
    throw new SchemaError([await missingTable(connection, table, ['body', 'table'])]);
  }
}

/**
 * The names of columns in the aggregates of a formula, in the spelling of the SQL parser. Names of columns of joined tables keep their
 * alias, as in `c.region`.
 */
async function namesOf(formula: string | null, alias: string): Promise<string[]> {
  if (formula === null) return [];
  const { root } = inOneTurn(() => parseFormula(formula));
  const read = (await inLimitedTurns(guardFormula(root, formula))).flatMap(({ columns }) => columns);
  return [...new Set(read.map(([qualifier, name]) => (qualifier === null || qualifier === alias ? name : `${qualifier}.${name}`)))];
}

/**
 * The tables that the fact table refers to, then the tables that those refer to, up to `mostJoins`. References that a table does not
 * declare are guessed.
 */
async function readJoins(
  fact: DraftTable,
  tables: BindableTables,
  probe: SourceProbe,
): Promise<{ joins: DraftJoin[]; leftOut: LeftOut[] }> {
  const joins: DraftJoin[] = [];
  const leftOut: LeftOut[] = [];
  const aliases = new Set([fact.alias]);
  const waiting: (DraftTable | DraftJoin)[] = [fact];
  for (let from = waiting.shift(); from; from = waiting.shift()) {
    if (from.foreignKeys.length === 0) {
      const table = from;
      const primary = table.keys.find(key => key.primary) ?? null;
      const guessed = await guessReferences(table, primary, column => tables.referablesFor(table, column), probe);
      from.foreignKeys = guessed.references;
      leftOut.push(...guessed.leftOut);
    }
    for (const key of from.foreignKeys) {
      // A table on the path from the fact table to `from` is not joined again: references in a circle would have no end.
      if (pathOf(from).includes(key.table)) continue;
      if (joins.length >= mostJoins) {
        leftOut.push({ table: key.table, columns: [], reason: tooMany });
        continue;
      }
      const table = await tables.describe(key.table);
      const isKnown = (name: string): boolean => table!.columns.some(column => column.name === name);
      if (!table || key.columns.length > 8 || !isIdentifier(table.name) || !key.references.every(isKnown)) {
        leftOut.push({ table: key.table, columns: [], reason: unreadable });
        continue;
      }
      const join = { ...table, alias: aliasOf(table, aliases, key.columns.join('_')), from, key };
      aliases.add(join.alias);
      joins.push(join);
      waiting.push(join);
    }
  }
  return { joins, leftOut };
}

function pathOf(table: DraftTable | DraftJoin): string[] {
  return 'from' in table ? [table.name, ...pathOf(table.from)] : [table.name];
}

function aliasOf({ bareName }: BindableTable, taken: ReadonlySet<string>, by: string): string {
  const numbered = Array.from({ length: mostJoins }, (_, at) => `t${at + 1}`);
  return [bareName, `${bareName}_${by}`, ...numbered].find(each => isIdentifier(each) && !taken.has(each))!;
}

const tooMany = { zh: `草稿最多连接 ${mostJoins} 张表`, en: `a draft joins at most ${mostJoins} tables` };
const unreadable = { zh: '表不可读，或不能在绑定中写出', en: 'the table cannot be read, or cannot be named in a binding' };
