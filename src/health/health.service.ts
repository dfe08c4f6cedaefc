import { Injectable } from '@nestjs/common';
import { ServiceStop } from '../common/stopping/service-stop.js';
import { Settings } from '../config/settings.js';
import { version } from '../config/version.js';
import { DatabaseLink } from '../database/database-link.js';
import { parserWorks } from '../sql-guard/sql-parser.js';
import { RetrievalClient } from '../retrieval/retrieval.client.js';
import { type ReadinessResponse, type ServiceSettingsResponse } from './health.dto.js';

const languages = ['zh', 'en'];

/**
 * Milliseconds after which the retrieval check gives up. Probes come every few seconds and have short timeouts, so the check must be short
 * too.
 */
const retrievalPatienceMs = 500;

@Injectable()
export class HealthService {
  private checking: ReturnType<RetrievalClient['check']> | null = null;

  constructor(
    private readonly link: DatabaseLink,
    private readonly retrieval: RetrievalClient,
    private readonly stop: ServiceStop,
    private readonly settings: Settings,
  ) {}

  /**
   * Whether requests should be sent to this process. The known state of the database is at most one second old while the database answers,
   * and at most five seconds old when it hangs.
   */
  async check(): Promise<ReadinessResponse> {
    const database = this.link.isUp ? 'ok' : 'unavailable';
    // Requests that arrive during a check wait for its result.
    this.checking ??= this.retrieval.check(retrievalPatienceMs).finally(() => (this.checking = null));
    const processes = await this.checking;
    const retrieval = processes.includes('ok') ? 'ok' : 'unavailable';
    const serving = !parserWorks() ? 'unavailable' : database === 'ok' && retrieval !== 'ok' ? 'degraded' : database;
    const checks = { database, retrieval, ...(processes.length > 1 ? { retrieval_processes: processes } : {}) } as const;
    return { status: this.stop.isAnnounced ? 'stopping' : serving, checks };
  }

  publicSettings(): ServiceSettingsResponse {
    return { version, registration_open: this.settings.registrationEnabled, languages };
  }
}
