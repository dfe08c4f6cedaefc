import { Injectable } from '@nestjs/common';
import { LongWork } from '../common/turns/long-work.js';
import { MetricsBusyError } from './metrics.errors.js';

/** Turns for parsing, describing and compiling formulas, and for drawing charts, so that no caller holds up the others. */
@Injectable()
export class MetricTurns extends LongWork {
  constructor() {
    super({ waitingPerCaller: 64, waiting: 500, patienceMs: 30_000, refuse: retryAfterS => new MetricsBusyError(retryAfterS) });
  }
}
