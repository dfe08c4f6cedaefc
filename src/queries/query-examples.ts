/** Bodies for Swagger UI. They work on the graph of the example mapping, and on the one that `npm run demo` loads. */
export const queryExamples = {
  search: { summary: '检索 / Search', value: { search: '华东', limit: 5 } },
  search_en: { summary: 'Search with a typing error', value: { search: 'tradng company', limit: 5 } },
  cypher: {
    summary: 'openCypher',
    value: {
      cypher: 'MATCH (s:供应商)-[:供应]->(p:产品) WHERE p.单价 > $min RETURN s, count(p) AS n ORDER BY n DESC LIMIT 3',
      parameters: { min: 10 },
      include: ['graph', 'plan'],
    },
  },
  question_zh: { summary: '提问 / A question about a relation', value: { question: '有多少个客户位于华东？', include: ['plan'] } },
  question_en: { summary: 'A question in English', value: { question: 'Which suppliers supply the most products?', include: ['plan'] } },
  metric_zh: { summary: '指标提问 / A question about a metric', value: { question: '2025年每个地区的销售额是多少？', include: ['plan'] } },
};
