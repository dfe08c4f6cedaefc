/** Bodies that copy tables into the mirror, for Swagger UI. */
export const copyExamples = {
  full: { summary: '整张表 / Whole tables', value: { tables: [{ table: 'public.orders', as: 'orders' }, { table: 'public.customers' }] } },
  cursor: {
    summary: '只读新的行 / Only new rows',
    value: { tables: [{ table: 'public.events', as: 'events', mode: 'cursor', cursor: 'updated_at', lag: '5m', key: ['id'] }] },
  },
};
