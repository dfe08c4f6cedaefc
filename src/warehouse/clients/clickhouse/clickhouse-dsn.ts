import { type DsnForm } from '../dsn.js';

/**
 * The form of a ClickHouse DSN. Connections use HTTPS, on port 8443 by default; with `sslmode=disable` they use HTTP, for which servers
 * mostly have port 8123.
 */
export const clickHouseDsn: DsnForm = {
  schemes: ['clickhouse'],
  defaultPort: 8443,
  parameters: { sslmode: /^(disable|prefer|require|verify-full)$/ },
};
