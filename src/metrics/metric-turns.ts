import { Injectable } from '@nestjs/common';
import { LongWork } from '../common/turns/long-work.js';
import { MetricsBusyError } from './metrics.errors.js';

/** Parsing, describing and compiling formulas, and drawing charts. */
@Injectable()
export class MetricTurns extends LongWork {
  constructor() {
    super({ waitingPerCaller: 64, waiting: 500, patienceMs: 30_000, refuse: retryAfterS => new MetricsBusyError(retryAfterS) });
  }
}
