import { type Response } from 'express';
import { grantWait, readPreferences } from '../http/server/preferences.js';
import { type Patience } from './queries.service.js';

/** Reads `Prefer: respond-async, wait=N`. A `wait` without `respond-async` is ignored: the service then waits as long as it can anyway. */
export function readPatience(prefer: string | undefined, response: Response): Patience {
  if (!readPreferences(prefer).has('respond-async')) return { asynchronous: false };
  return { asynchronous: true, waitMs: grantWait(prefer, response) * 1000 };
}
