import { type Settings } from '../../config/settings.js';

/** The most that one piece of work may copy of another database. */
export interface CopyLimits {
  maxBytes: number;
  maxRows: number;
  /** The longest silence in the middle of a table. */
  silenceMs: number;
}

/** The most that a run, a trial of it, or a copy into the mirror may take. */
export function copyLimitsOf(settings: Settings): CopyLimits {
  return {
    maxBytes: settings.ingestionMaxSourceBytes,
    maxRows: settings.ingestionMaxSourceRows,
    silenceMs: settings.ingestionSourceSilenceMs,
  };
}
