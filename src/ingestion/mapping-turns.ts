import { Injectable } from '@nestjs/common';
import { LongWork } from '../common/turns/long-work.js';
import { inLimitedTurns } from '../common/turns/pace.js';
import { MappingsBusyError } from './ingestion.errors.js';
import { type ParsedMapping } from './mapping/mapping.js';
import { readMapping } from './mapping/parse-mapping.js';

/**
 * The queue for two kinds of long work: reading the mappings of requests, and judging the queries of all mappings. In a run, the caller of
 * this work is the job instead of a user. The bounds are high, because a run must always find room in the queue.
 */
@Injectable()
export class MappingTurns extends LongWork {
  constructor() {
    super({ waitingPerCaller: 500, waiting: 5_000, patienceMs: 60_000, refuse: retryAfterS => new MappingsBusyError(retryAfterS) });
  }

  /** @throws MappingError, MappingsBusyError */
  read(caller: number, ...mapping: Parameters<typeof readMapping>): Promise<ParsedMapping> {
    return this.run({ caller }, () => inLimitedTurns(readMapping(...mapping)));
  }
}
