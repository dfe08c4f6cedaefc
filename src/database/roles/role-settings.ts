import { type Role } from './database-access.js';

/**
 * Settings for sessions that run SQL of users. Sorts and joins of a session may use one gigabyte of disk, and each step of a plan 8 MB of
 * memory.
 */
const userWork = { temp_file_limit: '1GB', work_mem: '8MB' };

/**
 * The settings with which each session of a role starts. An array is written as a list of identifiers, a string as one quoted value. Only a
 * superuser may set `temp_file_limit`, so it takes effect on the embedded server; with another server the service reports at its start that
 * the limit is missing.
 */
export const roleSettings: Record<Role, Record<string, string | readonly string[]>> = {
  // pg_temp comes last, so that a temporary table cannot stand in for a table of the service.
  records: { search_path: ['public', 'pg_temp'] },
  retrieval: { search_path: ['public', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
  mirror: { search_path: ['pg_catalog', 'mirror', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
};
