import { type OnApplicationShutdown } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { type HitRecord } from './sliding-log.js';

const connectMs = 2_000;
const commandMs = 1_000;
const longestRetryMs = 500;

/** Lua that sets `now` to microseconds since 1970 by Redis' own clock. The time is constant within one script. */
export const redisClock = "local time = redis.call('TIME') local now = time[1] * 1000000 + time[2]";

/**
 * A Lua script that keeps a sliding log as a list of times, the oldest first. Each hit is pushed and popped once. Redis runs one script at
 * a time, which orders the processes. If the clock was set back, stored times in the future become the current time. By default Lua prints
 * large numbers with 14 digits, but these times have 16, so `text` formats them.
 * @param clock Lua that sets `now`
 */
export function slidingLogScript(clock: string): string {
  return `
    ${clock}
    local key, window, limit = KEYS[1], ARGV[1] * 1000, tonumber(ARGV[2])
    local function at(index) return tonumber(redis.call('LINDEX', key, index)) end
    local function text(number) return string.format('%.0f', number) end
    local count = redis.call('LLEN', key)
    for index = count - 1, 0, -1 do
      if at(index) <= now then break end
      redis.call('LSET', key, index, text(now))
    end
    while count > 0 and at(0) <= now - window do
      redis.call('LPOP', key)
      count = count - 1
    end
    local blocked = count >= limit
    if not blocked then
      count = redis.call('RPUSH', key, text(now))
      redis.call('PEXPIRE', key, ARGV[1])
    end
    local wait = 0
    if blocked and limit > 0 then wait = at(count - limit) + window - now end
    local expire = count > 0 and at(0) + window - now or 0
    return { count, expire, blocked and 1 or 0, wait }`;
}

type ScriptedRedis = Redis & { slidingLog(key: string, windowMs: number, limit: number): Promise<[number, number, number, number]> };

/**
 * Rate limits that all processes on one Redis server share, by its clock. While Redis is away, each request fails at once, so that no
 * request is admitted uncounted.
 */
export class RedisStorage implements ThrottlerStorage, OnApplicationShutdown {
  private replacing = false;

  private constructor(private readonly redis: ScriptedRedis) {}

  /**
   * Connects to Redis.
   * @param patienceMs the time in ms after which a command without an answer fails
   * @throws when Redis does not answer within 2 seconds.
   */
  static async connect(url: string, clock = redisClock, patienceMs = commandMs): Promise<RedisStorage> {
    let connected = false;
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: connectMs,
      commandTimeout: patienceMs,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      // A command that is sent again after a lost connection could count a request twice.
      autoResendUnfulfilledCommands: false,
      retryStrategy: attempts => (connected ? Math.min(attempts * 50, longestRetryMs) : null),
      keepAlive: 10_000,
      scripts: { slidingLog: { lua: slidingLogScript(clock), numberOfKeys: 1 } },
    }) as ScriptedRedis;
    // Without this listener ioredis would print each lost connection. The requests that fail report the error themselves.
    redis.on('error', () => undefined);
    await redis.connect().catch(cause => {
      throw new Error('REDIS_URL: Redis 没有应答 / Redis does not answer', { cause });
    });
    connected = true;
    return new RedisStorage(redis);
  }

  async increment(key: string, ttl: number, limit: number): Promise<HitRecord> {
    const [totalHits, expireUs, blocked, waitUs] = await this.redis
      .slidingLog(`rate-limit:${key}`, ttl, limit)
      .catch(error => this.fail(error));
    return { totalHits, timeToExpire: expireUs / 1e6, isBlocked: blocked === 1, timeToBlockExpire: waitUs / 1e6 };
  }

  /**
   * Reports a failed command, and replaces a connection that does not answer in time. TCP alone takes up to two minutes to notice that a
   * network works again. ioredis' `socketTimeout` would replace the connection too, but its timer outlives its socket and cuts the next
   * one. The connection to a READONLY server is also replaced: the server has become a replica and keeps its connections, while its host
   * name now leads to the new primary.
   */
  private fail(error: unknown): never {
    if (!this.replacing && error instanceof Error && /^Command timed out$|\bREADONLY /.test(error.message)) {
      this.replacing = true;
      this.redis.once('close', () => (this.replacing = false)).disconnect(true);
    }
    throw error;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
