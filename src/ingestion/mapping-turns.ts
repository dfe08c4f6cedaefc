import { Injectable } from '@nestjs/common';
import { LongWork } from '../common/turns/long-work.js';
import { MappingsBusyError } from './ingestion.errors.js';

/** Judging the queries of mappings. Runs do so too, so the lines are longer than what one user may send in a minute. */
@Injectable()
export class MappingTurns extends LongWork {
  constructor() {
    super({ waitingPerCaller: 500, waiting: 5_000, patienceMs: 60_000, refuse: retryAfterS => new MappingsBusyError(retryAfterS) });
  }
}
