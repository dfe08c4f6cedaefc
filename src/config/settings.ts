import { readBasePath } from './base-path.js';
import { readOrigins } from './cors-origins.js';
import { readDatabaseUrl } from './database-url.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { findConflicts } from './find-conflicts.js';
import { readLicenseUrl, readPublicKey } from './license-settings.js';
import { readHost, readListenPlace, readModelUrl, readRetrievalUrl, readRetrievalUrls } from './network-places.js';
import { readMebibytes } from './mebibytes.js';
import { readPasswordPattern } from './password-pattern.js';
import { readNetworks } from './networks.js';
import { readRecordSettings } from './record-settings.js';
import { readRedisUrl } from './redis-url.js';
import { InvalidSettingsError, type SettingDescription, SettingsReader } from './settings-reader.js';
import { readTrustedProxies, trustNobody } from './trusted-proxies.js';

/** The default pattern, which is public because the documentation shows it. */
export const builtInPasswordPattern = '{username}@Graph123';

const derivedUrl = { type: 'secret', default: 'derived', secret: true };
const roleUrl = (work: string) =>
  `The login with which the service ${work}; unset: a role of DATABASE_URL's database, with a password from its password`;

/** Reads every setting of the service. The description of each setting stands where it is read. */
function readValues(read: SettingsReader) {
  return {
    port: read.integer('PORT', 8080, 'Port to listen on; 0 takes a free one', { max: 65_535 }),
    host: read.checked('HOST', '127.0.0.1', 'Address to listen on; 0.0.0.0 opens the service to the network', readHost),
    basePath: read.checked('BASE_PATH', '', 'Path under which a proxy shows the service, such as /graph; unset: none', readBasePath),
    isProduction: read.text('NODE_ENV', 'development', 'production refuses placeholder and empty secrets') === 'production',
    databaseUrl: read.parsed(
      'DATABASE_URL',
      'PostgreSQL 16 to 18, as the owner of the database, who prepares it; unset: an embedded one under DATA_DIR',
      { type: 'secret', default: 'embedded', secret: true },
      readDatabaseUrl,
    ),
    databaseUrls: {
      records: read.parsed('DATABASE_RECORDS_URL', roleUrl('reads and writes its own tables'), derivedUrl, readDatabaseUrl),
      retrieval: read.parsed('DATABASE_RETRIEVAL_URL', roleUrl('reads graphs'), derivedUrl, readDatabaseUrl),
      mirror: read.parsed('DATABASE_MIRROR_URL', roleUrl('runs user SQL on the mirror'), derivedUrl, readDatabaseUrl),
    },
    databaseReadUrl: read.parsed(
      'DATABASE_READ_URL',
      'A streaming replica of the database, which retrieval processes read; without user name: with the login of DATABASE_RETRIEVAL_URL',
      { type: 'secret', default: '', secret: true },
      readDatabaseUrl,
    ),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 20, 'Connections of this process to its database', { min: 4, max: 200 }),
    dataDirectory: read.text('DATA_DIR', './data', 'Directory of the embedded PostgreSQL, its password and generated keys'),
    diskReserveMb: read.parsed(
      'DISK_RESERVE_MB',
      'Free space of the disk of DATA_DIR, in MiB, below which uploads, copies, runs and exports are refused and sorts on disk are ended; 0: none; unset: beside the embedded database 1024, or 5 % of the disk if that is less',
      { type: 'integer', default: 'derived' },
      readMebibytes,
    ),
    jwtSecretKey: read.secret(
      'JWT_SECRET_KEY',
      'Key that signs tokens, at least 32 bytes; unset: random at each start, so tokens end with it',
      'random',
      32,
    ),
    secretEncryptionKeys: read.parsed(
      'SECRET_ENCRYPTION_KEY',
      'Keys that seal stored secrets such as DSNs, at least 32 bytes each: the first one seals, each one opens; unset: a key kept under DATA_DIR',
      { type: 'secret', default: 'kept under DATA_DIR', secret: true },
      readEncryptionKeys,
    ),
    jwtExpireSeconds: read.integer('JWT_EXPIRE_SECONDS', 604_800, 'Lifetime of a token in seconds', { min: 1 }),
    adminInitialPassword: read.secret(
      'ADMIN_INITIAL_PASSWORD',
      'First password of the first admin, to be changed at once',
      'admin@Graph123',
    ),
    defaultPasswordPattern: read.checked(
      'DEFAULT_PASSWORD_PATTERN',
      builtInPasswordPattern,
      'Password of a user whom an admin creates or resets, to be changed at once; {username} is replaced',
      readPasswordPattern,
    ),
    registrationEnabled: read.boolean('REGISTRATION_ENABLED', true, 'Whether anyone may register an account'),
    bcryptCost: read.integer('BCRYPT_COST', 12, 'Cost of password hashing (2^cost rounds)', { min: 4, max: 16 }),
    apiKeyMaxRateLimit: read.integer(
      'API_KEY_MAX_RATE_LIMIT',
      600,
      'Highest rate limit of an API key, in requests per minute; the keys of one user together have twice that, or 60 for each that MAX_API_KEYS_PER_USER allows',
      { min: 1 },
    ),
    corsOrigins:
      read.parsed(
        'CORS_ORIGINS',
        'Exact origins of web clients, such as https://app.example.com; none by default',
        { type: 'comma-separated list', default: '' },
        readOrigins,
      ) ?? [],
    trustProxy:
      read.parsed(
        'TRUST_PROXY',
        'Proxies whose X-Forwarded-For is believed: how many stand in front, or their addresses and networks; unset: none',
        { type: 'integer or comma-separated list', default: '0' },
        readTrustedProxies,
      ) ?? trustNobody,
    redisUrl: read.parsed(
      'REDIS_URL',
      'Redis that counts the rate limits, as redis://… or rediss://…; unset: the database of DATABASE_URL, or memory beside the embedded one',
      { type: 'secret', default: '', secret: true },
      readRedisUrl,
    ),
    rateLimits: {
      login: read.integer('RATE_LIMIT_LOGIN', 10, 'Logins of one address in a minute', { min: 1 }),
      register: read.integer('RATE_LIMIT_REGISTER', 5, 'Registrations of one address in a minute', { min: 1 }),
      password: read.integer('RATE_LIMIT_PASSWORD', 5, 'Changes of a password by one address in a minute', { min: 1 }),
      anonymous: read.integer('RATE_LIMIT_ANONYMOUS', 300, 'Requests of one address without good credentials in a minute', { min: 1 }),
      query: read.integer('RATE_LIMIT_QUERY', 30, 'Queries of one user in a minute', { min: 1 }),
      run: read.integer('RATE_LIMIT_RUN', 30, 'Runs, copies and checks that one user starts in a minute, by schedules too', { min: 1 }),
      user: read.integer('RATE_LIMIT_USER', 60, 'All other requests of one user in a minute', { min: 1 }),
    },
    rateLimitScale: read.integer('RATE_LIMIT_SCALE', 1, 'Multiplies every rate limit; for tests and load measurements only', {
      min: 1,
      max: 1_000_000,
    }),
    worker: read.oneOf(
      'WORKER',
      ['embedded', 'only', 'off'],
      'embedded',
      'Place where ingestion runs: in this process, in this process only, or elsewhere',
    ),
    retrievalUrls: readRetrievalPlaces(read),
    retrievalKey: read.secret(
      'RETRIEVAL_KEY',
      'Secret with which the API signs what it sends to retrieval processes deployed apart, at least 32 bytes; the same for all of them',
      '',
      32,
    ),
    retrievalTls: {
      cert: read.optionalText(
        'RETRIEVAL_TLS_CERT',
        'PEM file with the certificate of this process, for https:// between the API and retrieval processes deployed apart',
      ),
      key: read.optionalText('RETRIEVAL_TLS_KEY', 'PEM file with the key of RETRIEVAL_TLS_CERT'),
      ca: read.optionalText(
        'RETRIEVAL_TLS_CA',
        'PEM file with the authority of the other side: a retrieval process then takes only callers with a certificate of it; unset for the API: the public authorities',
      ),
    },
    retrievalListen: read.checked(
      'RETRIEVAL_LISTEN',
      '127.0.0.1:8090',
      'Address on which the `retrieval` command listens: host:port or a socket path',
      readListenPlace,
    ),
    retrievalMemoryMb: read.integer(
      'RETRIEVAL_MEMORY_MB',
      1024,
      'Memory for loaded graphs; beyond it the caller whose graphs take the most gives one up',
      { min: 64 },
    ),
    retrievalSnapshotDirectory: read.optionalText(
      'RETRIEVAL_SNAPSHOT_DIR',
      'Directory where the retrieval process keeps loaded graphs as files, to be ready sooner after a start; unset: below DATA_DIR if the database is embedded, else nowhere',
    ),
    answerMaxBytes: read.integer(
      'ANSWER_MAX_BYTES',
      16_777_216,
      'Largest answer of a query, a metric or a table view in bytes; larger ones are refused while they are read',
      { min: 65_536, max: 134_217_728 },
    ),
    queryUpstreamTimeoutMs: read.integer(
      'QUERY_UPSTREAM_TIMEOUT_MS',
      120_000,
      'How long a query waits for the retrieval process before 502',
      { min: 1 },
    ),
    queryMaxTimeoutMs: read.integer(
      'QUERY_MAX_TIMEOUT_MS',
      300_000,
      'Longest time a query may work: the ceiling of its `timeout_ms`, and its bound where it names none',
      { min: 1, max: 3_600_000 },
    ),
    llmBaseUrl: read.parsed(
      'LLM_BASE_URL',
      'A language model that proposes readings of questions and words answers: the address of its OpenAI-compatible API, such as http://127.0.0.1:11434/v1; unset: none. Rows that a question finds in a graph are sent there',
      { type: 'text', default: '' },
      readModelUrl,
    ),
    llmModel: read.optionalText('LLM_MODEL', 'Name of the model behind LLM_BASE_URL'),
    llmApiKey: read.secret('LLM_API_KEY', 'Key for LLM_BASE_URL; unset: none is sent', ''),
    llmTimeoutMs: read.integer('LLM_TIMEOUT_MS', 20_000, 'Longest time of one call to the language model', { min: 100, max: 280_000 }),
    llmConcurrency: read.integer(
      'LLM_CONCURRENCY',
      8,
      'Calls of this process to the language model at a time; one caller has half of them at most',
      { min: 1, max: 1000 },
    ),
    ingestionMaxStatementTimeoutMs: read.integer(
      'INGESTION_MAX_STATEMENT_TIMEOUT_MS',
      3_600_000,
      "Longest step of a run: the ceiling of a mapping's `source.statement_timeout`",
      { min: 1000, max: 86_400_000 },
    ),
    ingestionMaxSourceBytes: read.integer(
      'INGESTION_MAX_SOURCE_BYTES',
      21_474_836_480,
      'Bytes that one run may copy from another database, as text; the copy takes about as much disk of the database until the run ends',
      { min: 1_000, max: 1_099_511_627_776 },
    ),
    ingestionMaxSourceRows: read.integer('INGESTION_MAX_SOURCE_ROWS', 100_000_000, 'Rows that one run may copy from another database', {
      min: 1,
      max: 10_000_000_000,
    }),
    ingestionSourceSilenceMs: read.integer(
      'INGESTION_SOURCE_SILENCE_MS',
      60_000,
      'How long another database may send nothing in the middle of a table that a run copies',
      { min: 100, max: 3_600_000 },
    ),
    warehouseTimeoutMs: read.integer('WAREHOUSE_TIMEOUT_MS', 30_000, 'Longest statement that a metric or a source look-up may run', {
      min: 100,
    }),
    warehousePoolSize: read.integer(
      'WAREHOUSE_POOL_SIZE',
      8,
      'Connections of this process that metrics and source look-ups share; beside the embedded database no more than twice the cores',
      {
        min: 1,
        max: 200,
      },
    ),
    warehousePrivateNetworks: read.oneOf(
      'WAREHOUSE_PRIVATE_NETWORKS',
      ['allow', 'deny'],
      'allow',
      'Whether warehouse connections and webhooks may go to private networks (10/8, 172.16/12, 192.168/16, fc00::/7); deny where strangers are admins',
    ),
    warehouseAllowedAddresses: read.parsed(
      'WAREHOUSE_ALLOWED_ADDRESSES',
      'Addresses and networks that warehouse connections and webhooks may use although they are refused by default, such as 127.0.0.1 on a machine for tests',
      { type: 'comma-separated list', default: '' },
      readNetworks,
    ),
    duckdbDirectory: read.optionalText(
      'DUCKDB_DIR',
      'Directory below which connections of type duckdb read their files: databases of DuckDB, Parquet, CSV, JSON; unset: there are none',
    ),
    ...readRecordSettings(read),
    maxBodyBytes: read.integer('MAX_BODY_BYTES', 1_048_576, 'Largest JSON body', { min: 1024 }),
    maxConnections: read.integer('MAX_CONNECTIONS', 10_000, 'Sockets open at once; more are closed unanswered', { min: 10 }),
    maxUploadSeconds: read.integer('MAX_UPLOAD_SECONDS', 3600, 'Longest time one request may take to arrive', { min: 1 }),
    uploadIdleSeconds: read.integer(
      'UPLOAD_IDLE_SECONDS',
      30,
      'How long an upload is waited for that sends less than 32 KB, and the reader of a large answer or an export who takes less than 64 KB; then it ends, for it holds a place or memory that others want',
      { min: 1, max: 3600 },
    ),
    exportMaxSeconds: read.integer(
      'EXPORT_MAX_SECONDS',
      900,
      'Longest time of an export of all rows of a metric, with that which its reader takes',
      { min: 1, max: 86_400 },
    ),
    mirrorMaxMb: read.integer(
      'MIRROR_MAX_MB',
      512_000,
      'Disk in MiB that all tables of the mirror may take together; the upload or copy that would pass it is refused',
      { min: 1 },
    ),
    mirrorMaxMbPerUser: read.integer(
      'MIRROR_MAX_MB_PER_USER',
      51_200,
      'Disk in MiB that the tables of the mirror may take that one user was the last to load; those of admins count for MIRROR_MAX_MB only',
      { min: 1 },
    ),
    uploadParquetMaxMb: read.integer(
      'UPLOAD_PARQUET_MAX_MB',
      1024,
      'Largest Parquet file of an upload in MiB; two at most stand below DATA_DIR at a time while they are read',
      { min: 1, max: 1_048_576 },
    ),
    licenseCheckEnabled: read.boolean('LICENSE_CHECK_ENABLED', false, 'Whether the service starts only with a valid licence'),
    licenseFile: read.optionalText('LICENSE_FILE', 'Offline check: a licence or machine file in the format of Keygen'),
    licenseUrl: read.parsed(
      'LICENSE_URL',
      "Online check: the full https address of the account's validate-key action",
      { type: 'text', default: '' },
      readLicenseUrl,
    ),
    licenseKey: read.secret('LICENSE_KEY', 'Online check: the licence key; offline: what opens an encrypted licence file', ''),
    licensePublicKey: read.parsed(
      'LICENSE_PUBLIC_KEY',
      'Ed25519 public key of the licensor, 64 hexadecimal digits',
      { type: 'text', default: '' },
      readPublicKey,
    ),
    licenseFingerprint: read.optionalText(
      'LICENSE_FINGERPRINT',
      'Fingerprint of this machine, for a machine file or a licence bound to machines',
    ),
    metricsPort: read.integer('METRICS_PORT', 0, 'Port of the Prometheus metrics, on METRICS_HOST; 0: closed', { max: 65_535 }),
    metricsHost: read.checked('METRICS_HOST', '127.0.0.1', 'Address of the Prometheus metrics; they ask for no credentials', readHost),
    shutdownDelaySeconds: read.integer(
      'SHUTDOWN_DELAY_SECONDS',
      0,
      'How long after SIGTERM requests are still taken while /health/ready says stopping; 5 to 10 behind a load balancer',
      { max: 300 },
    ),
    shutdownSeconds: read.integer('SHUTDOWN_SECONDS', 10, 'How long requests under way may take to end after SIGTERM', { max: 3600 }),
    threads: read.integer(
      'UV_THREADPOOL_SIZE',
      4,
      'Threads for files, password hashes and host names, of which names take half; npm start and the image set 16; not read from .env',
      { min: 1, max: 1024 },
    ),
    logLevel: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Least severe level that is logged'),
    /** The values of the secret settings, which the log hides. */
    secrets: read.secrets,
    /** Variables that look like settings and have no effect. */
    misspelt: read.misspelt(),
  };
}

/** The URLs of retrieval processes that are deployed separately, in the order given; empty if the service starts its own process. */
function readRetrievalPlaces(read: SettingsReader): readonly string[] {
  const started = 'started by the service';
  const one = read.parsed(
    'RETRIEVAL_URL',
    'A retrieval process deployed apart, as http://host:port or https://host:port; unset: started by the service',
    { type: 'text', default: started },
    readRetrievalUrl,
  );
  const several = read.parsed(
    'RETRIEVAL_URLS',
    'Several such processes, in place of RETRIEVAL_URL; each graph belongs to one of them, and goes to another while that one does not answer',
    { type: 'comma-separated list', default: '' },
    readRetrievalUrls,
  );
  return several ?? (one === undefined ? [] : [one]);
}

class Assigned {
  constructor(values: object) {
    Object.assign(this, values);
  }
}

/** The settings of this process, as a class that Nest can inject. */
export class Settings extends (Assigned as new (values: object) => Readonly<ReturnType<typeof readValues>>) {}

/**
 * Reads the settings from an environment.
 * @param servesApi whether the process is the API. Other processes ignore contradictions between settings that only the API uses.
 * @throws InvalidSettingsError that lists every problem of the environment.
 */
export function readSettings(environment: NodeJS.ProcessEnv, { servesApi = true } = {}): Settings {
  const reader = new SettingsReader(environment);
  const values = readValues(reader);
  const problems = [...reader.problems, ...(servesApi ? findConflicts(values, reader.given) : [])];
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return new Settings(values);
}

/** Loads the settings of the running process. `.env` in the working directory fills in variables that the environment leaves unset. */
export function loadSettings(use?: { servesApi: boolean }): Settings {
  // Node has already started its threads, so a UV_THREADPOOL_SIZE from `.env` would have no effect.
  const { UV_THREADPOOL_SIZE } = process.env;
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return readSettings({ ...process.env, UV_THREADPOOL_SIZE }, use);
}

export function describeSettings(): SettingDescription[] {
  const reader = new SettingsReader({});
  readValues(reader);
  return reader.described;
}
