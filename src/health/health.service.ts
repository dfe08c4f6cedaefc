import { Injectable } from '@nestjs/common';
import { ServicePool } from '../database/service-pool.js';

@Injectable()
export class HealthService {
  constructor(private readonly pool: ServicePool) {}

  async check(): Promise<{ status: string; checks: Record<string, string> }> {
    const database = await this.pool.query('SELECT 1').then(
      () => 'ok',
      () => 'unavailable',
    );
    return { status: database, checks: { database } };
  }
}
