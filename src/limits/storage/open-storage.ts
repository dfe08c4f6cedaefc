import { type ThrottlerStorage } from '@nestjs/throttler';
import { type Settings } from '../../config/settings.js';
import { type DatabaseLink } from '../../database/database-link.js';
import { MemoryStorage } from './memory.storage.js';
import { limitsPool, PostgresStorage } from './postgres.storage.js';
import { RedisStorage } from './redis.storage.js';

/** Uses Redis if configured, the database if several processes may share it, and memory beside the embedded database. */
export async function openStorage({ redisUrl, databaseUrl }: Settings, link: DatabaseLink): Promise<ThrottlerStorage> {
  if (redisUrl !== undefined) return RedisStorage.connect(redisUrl);
  return databaseUrl === undefined ? new MemoryStorage() : new PostgresStorage(link.open('limits', limitsPool));
}
