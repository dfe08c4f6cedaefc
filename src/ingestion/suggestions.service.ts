import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { FairShare } from '../common/turns/fair-share.js';
import { inLimitedTurns } from '../common/turns/pace.js';
import { TimeLeft } from '../common/turns/time-left.js';
import { type Steps } from '../text/steps.js';
import { SourceProbe } from '../warehouse/references/source-probe.js';
import { type LeftOut } from '../warehouse/references/source-table.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { NothingToMapError, TooManySuggestionsError } from './ingestion.errors.js';
import { type ParsedMapping } from './mapping/mapping.js';
import { readMapping } from './mapping/parse-mapping.js';
import { readSourceTables } from './read-source-tables.js';
import { SourcesService } from './sources.service.js';
import { type SourceProblem } from './staging/target.js';
import { type Draft } from './suggest/draft.js';
import { draftMapping } from './suggest/draft-mapping.js';
import { type KnownTable, knowTables } from './suggest/know-tables.js';
import { type Suggestion } from './suggest/suggestion.js';
import { type PlacedGuess, writeYaml, type WrittenDraft } from './suggest/write-yaml.js';
import { type SuggestMappingRequest } from './suggestions.dto.js';

/** The longest times in milliseconds for reading the source, and for checking the draft against the source. */
const lookMs = 14_000;
const checkMs = 3_000;
const places = { places: 4, mostPerCaller: 1, waitingPerCaller: 8, waiting: 40, patienceMs: 10_000 };
/** The most bytes of a draft, below the 256 KiB that a mapping may have. */
const mostBytes = 250 * 1024;

/** Drafts mappings from the tables of a connection. */
@Injectable()
export class SuggestionsService {
  private readonly share = new FairShare({ ...places, refuse: retryAfterS => new TooManySuggestionsError(retryAfterS) });

  constructor(
    private readonly warehouse: WarehouseService,
    private readonly sources: SourcesService,
  ) {}

  /**
   * @throws TooManySuggestionsError, NothingToMapError, SchemaError for unknown tables, ConnectionNotFoundError,
   * ConnectionForbiddenError, and the errors of a client that cannot be reached
   */
  suggest(principal: Principal, request: SuggestMappingRequest): Promise<Suggestion> {
    return this.share.run({ caller: principal.userId }, () => this.suggestNow(principal, request));
  }

  private async suggestNow(principal: Principal, { connection: wanted, tables }: SuggestMappingRequest): Promise<Suggestion> {
    const connection = await this.warehouse.open(principal, wanted ?? null);
    const time = new TimeLeft(lookMs);
    const found = await readSourceTables(connection, tables, time);
    const probe = new SourceProbe(connection, time);
    const known = await knowTables(found.tables, probe);
    const { draft, text, guesses, parsed, isChecked } = await this.writeChecked(principal, connection, known.tables, [
      ...found.leftOut,
      ...known.leftOut,
    ]);
    return {
      yaml: text,
      guesses: guesses.map(guess => ({ ...guess, line: lineOf(parsed, guess) })),
      leftOut: draft.leftOut,
      leftOutCount: Math.max(draft.leftOut.length, found.leftOutCount),
      isCheckedWithSource: isChecked,
      areGuessesChecked: !probe.isIncomplete,
    };
  }

  /**
   * Writes a draft and checks it against its source. Tables that do not fit the draft are left out, and the rest is written again. A table
   * does not fit if it has changed since it was read, or if the database fails to read it in the way that its own catalog describes.
   */
  private async writeChecked(
    principal: Principal,
    connection: UsableConnection,
    tables: KnownTable[],
    leftOut: LeftOut[],
  ): Promise<FittingDraft & { parsed: ParsedMapping; isChecked: boolean }> {
    const written = await inLimitedTurns(writeFitting(connection, tables, leftOut));
    const parsed = await inLimitedTurns(readMapping(written.text));
    const described = await this.sources.describe(parsed.mapping, principal, checkMs);
    if (!('problems' in described)) return { ...written, parsed, isChecked: 'source' in described };
    const misfits = misfitsOf(written.draft, described.problems);
    const left = tables.filter(({ name }) => !misfits.some(({ table }) => table === name));
    return this.writeChecked(principal, connection, left, [...leftOut, ...misfits]);
  }
}

interface FittingDraft extends WrittenDraft {
  draft: Draft;
}

/**
 * The tables with problems, each with its problem. There is at least one: a draft without tables has been refused before, and each problem
 * of a draft belongs to a table.
 */
function misfitsOf(draft: Draft, problems: readonly SourceProblem[]): LeftOut[] {
  const misfits = new Map<string, LeftOut>();
  for (const { path, text } of problems) {
    const [list, index] = path;
    const element = list === 'nodes' ? draft.nodes[index as number] : list === 'edges' ? draft.edges[index as number] : undefined;
    if (element) misfits.set(element.table, { table: element.table, columns: [], reason: text });
  }
  if (misfits.size === 0) throw new Error(`A draft does not fit its connection: ${JSON.stringify(problems[0])}`);
  return [...misfits.values()];
}

/** Writes a draft of the first tables, as many as fit into `mostBytes`, and lists the other tables as left out. */
function* writeFitting(connection: UsableConnection, tables: KnownTable[], leftOut: LeftOut[]): Steps<FittingDraft> {
  let fitting: FittingDraft | null = null;
  // A draft of the first `least` tables fits, and a draft of the first `most` tables does not.
  let [least, most] = [0, tables.length + 1];
  for (let count = tables.length; most - least > 1; count = Math.floor((least + most) / 2)) {
    const cut = tables.slice(count).map(({ name }): LeftOut => ({ table: name, columns: [], reason: tooLong }));
    const draft = yield* draftMapping(connection.name, tables.slice(0, count), [...leftOut, ...cut]);
    const written = yield* writeYaml(draft);
    if (Buffer.byteLength(written.text) > mostBytes) most = count;
    else {
      least = count;
      if (draft.nodes.length + draft.edges.length > 0) fitting = { ...written, draft };
    }
  }
  if (fitting === null) throw new NothingToMapError(leftOut);
  return fitting;
}

function lineOf({ placeOf }: ParsedMapping, { path }: PlacedGuess): number {
  return placeOf(path).line;
}

const tooLong = {
  zh: '映射会超过 256 KiB；请在 tables 中另行起草',
  en: 'the mapping would be longer than 256 KiB; draft it apart with tables',
};
