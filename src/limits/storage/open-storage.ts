import { type ThrottlerStorage } from '@nestjs/throttler';
import { type Settings } from '../../config/settings.js';
import { MemoryStorage } from './memory.storage.js';
import { PostgresStorage } from './postgres.storage.js';
import { RedisStorage } from './redis.storage.js';

/** Redis where there is one, the database where several processes share one, and memory beside the embedded database. */
export async function openStorage({ settings, databaseUrl }: { settings: Settings; databaseUrl: string }): Promise<ThrottlerStorage> {
  if (settings.redisUrl !== undefined) return RedisStorage.connect(settings.redisUrl);
  return settings.databaseUrl === undefined ? new MemoryStorage() : new PostgresStorage(databaseUrl);
}
