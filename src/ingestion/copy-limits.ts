import { type Settings } from '../config/settings.js';
import { type CopyLimits } from './run/copy-failure.js';

/** The most that a run, or a trial of it, copies of another database. */
export function copyLimitsOf(settings: Settings): CopyLimits {
  return {
    maxBytes: settings.ingestionMaxSourceBytes,
    maxRows: settings.ingestionMaxSourceRows,
    silenceMs: settings.ingestionSourceSilenceMs,
  };
}
