import { type ThrottlerStorage } from '@nestjs/throttler';
import { type Settings } from '../../config/settings.js';
import { type DatabaseLink } from '../../database/database-link.js';
import { MemoryStorage } from './memory.storage.js';
import { limitsPool, PostgresStorage } from './postgres.storage.js';
import { RedisStorage } from './redis.storage.js';

/**
 * Opens the storage of the rate limits: Redis if it is configured, PostgreSQL for an external database, which several processes may share,
 * and memory for the embedded database.
 */
export async function openStorage({ redisUrl, databaseUrl }: Settings, link: DatabaseLink): Promise<ThrottlerStorage> {
  if (redisUrl !== undefined) return RedisStorage.connect(redisUrl);
  return databaseUrl === undefined ? new MemoryStorage() : new PostgresStorage(link.open('limits', limitsPool));
}
