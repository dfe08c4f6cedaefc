import { Injectable } from '@nestjs/common';
import { ServicePool } from '../database/service-pool.js';

/** Stores in the database the latest time that has certainly passed. There it survives a restart, and other machines can read it. */
@Injectable()
export class LicenceClockRepository {
  constructor(private readonly pool: ServicePool) {}

  /** Returns the latest time of an earlier check, or the time of the database's own clock if that is later. */
  async getLatest(): Promise<Date> {
    const { rows } = await this.pool.query<{ latest: Date }>(
      'SELECT greatest(clock_timestamp(), (SELECT seen_at FROM licence_clock)) AS latest',
    );
    return rows[0]!.latest;
  }

  /**
   * Stores a time, unless a later one is stored already.
   * @param isProven true if the licence server has signed this time, which then also replaces a later stored time
   */
  async remember(time: Date, isProven: boolean): Promise<void> {
    await this.pool.query(
      `INSERT INTO licence_clock AS kept (seen_at) VALUES ($1)
       ON CONFLICT (id) DO UPDATE SET seen_at = CASE WHEN $2 THEN EXCLUDED.seen_at ELSE greatest(kept.seen_at, EXCLUDED.seen_at) END`,
      [time, isProven],
    );
  }
}
