/** Bodies that create connections, for Swagger UI. */
export const connectionExamples = {
  mirror: { summary: '镜像 / The mirror', value: { name: 'mirror-2', type: 'pg_mirror' } },
  postgres: {
    summary: 'PostgreSQL',
    value: {
      name: 'erp',
      type: 'postgres',
      dsn: 'postgres://reader:secret@db.example.com:5432/erp',
      options: { ssl_mode: 'verify-full', schema_allowlist: ['public'] },
    },
  },
  mysql: {
    summary: 'MySQL, MariaDB',
    value: { name: 'shop', type: 'mysql', dsn: 'mysql://reader:secret@db.example.com:3306/shop' },
  },
  clickhouse: {
    summary: 'ClickHouse',
    value: { name: 'events', type: 'clickhouse', dsn: 'clickhouse://reader:secret@db.example.com:8443/events' },
  },
};
