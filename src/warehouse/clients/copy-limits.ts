import { type Settings } from '../../config/settings.js';

/** The limits of one piece of work that copies from another database. */
export interface CopyLimits {
  maxBytes: number;
  maxRows: number;
  /** The longest time in ms for which the source may send nothing in the middle of a table. */
  silenceMs: number;
}

/** The copy limits of a job's run, of its trial, and of a copy into the mirror. */
export function copyLimitsOf(settings: Settings): CopyLimits {
  return {
    maxBytes: settings.ingestionMaxSourceBytes,
    maxRows: settings.ingestionMaxSourceRows,
    silenceMs: settings.ingestionSourceSilenceMs,
  };
}
