import { type Role } from './database-access.js';

/**
 * What each session of a role starts with. A list is written as names, anything else as one value. A setting that only a superuser
 * may give (`temp_file_limit`) takes effect on the embedded server; elsewhere the start says what is missing.
 */
export const roleSettings: Record<Role, Record<string, string | readonly string[]>> = {
  // pg_temp last: a temporary table must not stand in for a table of the service.
  records: { search_path: ['public', 'pg_temp'] },
  retrieval: { search_path: ['public', 'pg_temp'], default_transaction_read_only: 'on' },
  mirror: { search_path: ['pg_catalog', 'mirror', 'pg_temp'], default_transaction_read_only: 'on' },
};
