/** Example request bodies for Swagger UI. They work on the graph of the example mapping, and on the graph that `npm run demo` loads. */
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

/** Describes the event stream of a query, for the API document. */
export const eventsDescription =
  '状态变化时推送 progress，结束时推送 end 并关闭，答案在 location；失去权限时推送 access_lost。10 秒没有事件时发送一行注释。' +
  '带 Last-Event-ID 重连时不再发送已收到的状态；已收到 end 时回答 204。每个用户最多同时观察 10 个（运行与查询合计）。' +
  ' / Sends progress when the state changes, then end, and closes; the answer is at `location`. access_lost once its reader may not see the rest. ' +
  'After 10 seconds without an event comes a comment. With Last-Event-ID, a state that was received is not sent again, and after end the answer is 204. ' +
  'A user may watch 10 at a time, runs and queries together.';

const state = {
  query_id: 17,
  graph_id: 1,
  kind: 'cypher',
  request: { cypher: 'MATCH (n) RETURN count(*) AS n' },
  status: 'running',
  error: null,
  elapsed_ms: 12,
  created_at: '2026-01-05T08:00:00.000Z',
  ended_at: null,
  location: '/api/graphs/1/queries/17',
};

export const exampleEvents = [
  `event: progress\nid: kX3vY0mZb1pQ4sTa\nretry: 2000\ndata: ${JSON.stringify(state)}`,
  ': alive',
  `event: end\nid: Jr9fQw2LcUe7HnDx\nretry: 2000\ndata: ${JSON.stringify({ ...state, status: 'succeeded', elapsed_ms: 61_700, ended_at: '2026-01-05T08:01:01.700Z' })}`,
].join('\n\n');

/** Describes the event stream of an answer, for the API document. */
export const answerEventsDescription =
  '与 POST …/query 相同的请求。有语言模型时：answer 先给出行，每句有依据的话推送一个 sentence，最后 end 给出完整答案，取代之前的一切；没有模型、或答案已存时只有 end。' +
  '第一个事件之后的错误以 error 推送；失去权限时推送 access_lost 并关闭。10 秒没有事件时发送一行注释。断开不取消查询。每个用户最多同时观察 10 个。' +
  ' / The same request as POST …/query. With a language model `answer` gives the rows first, each sentence that has evidence comes as `sentence`, and `end` is the whole answer, in place of all before; without one, or ' +
  'for a stored answer, there is only `end`. An error after the first event comes as `error`, and `access_lost` is the last one once its reader may not see the rest. After 10 seconds without an event comes a comment. A client that disconnects does not cancel the query. A user may watch 10 at a time.';

export const exampleAnswerEvents = [
  `event: sentence\ndata: ${JSON.stringify({ text: '华东 1,234,567.8 元，居首。', rows: [0] })}`,
  `event: end\ndata: ${JSON.stringify({ query_id: 17, status: 'succeeded', rows: [['华东', '1234567.8']] })}`,
].join('\n\n');
