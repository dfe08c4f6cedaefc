import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Things whose names are also ordinary words: a hotel `The Rooms`, a guest `May`, a channel `Booking`. */
const { ask } = aWorld({
  labels: [
    namedLabel('City', ['城市'], []),
    namedLabel('Hotel', ['酒店'], [['swimming pool', 'boolean', '游泳池'], ['capacity', 'int']]),
    namedLabel('Room', ['房间'], [['price', 'decimal(10,2)', '价格'], ['status', 'string', '状态']]),
    namedLabel('Guest', ['客人'], [['points', 'int', '积分']]),
    namedLabel('Booking', ['订单'], [['amount', 'decimal(12,2)', '金额'], ['channel', 'string', '渠道'], ['status', 'string', '状态']]),
    namedLabel('Service', ['服务'], [['price', 'int', '价格']]),
  ],
  edges: [
    edge('located in', ['位于'], 'Hotel', 'City'),
    edge('belongs to', ['属于'], 'Room', 'Hotel'),
    edge('lives in', ['居住于', '住在'], 'Guest', 'City'),
    edge('booked', ['预订了', '下单'], 'Guest', 'Booking'),
    edge('reserves', [], 'Booking', 'Room'),
    edge('favorite hotel', ['收藏'], 'Guest', 'Hotel'),
    edge('uses', ['使用'], 'Booking', 'Service'),
  ],
  toOne: { outgoing: ['located in', 'belongs to', 'lives in', 'reserves', 'favorite hotel'], incoming: ['booked'] },
  names: { Hotel: ['The Rooms'], Guest: ['May', '张伟'], Service: ['Room Service', 'SPA'], City: ['上海'] },
  values: { Booking: { channel: ['Booking'], status: ['已取消'] } },
}); // prettier-ignore

describe('questions about a chain of hotels', () => {
  it.each([
    ['收藏The Rooms的客人有哪些', 'MATCH (t:Guest)-[r1:`favorite hotel`]->(n1:Hotel) WHERE n1.number = $p1'],
    ['The Rooms有游泳池吗', 'MATCH (t:Hotel) WHERE t.number = $p1'],
    ['The Rooms的房间有多少', 'MATCH (t:Room)-[r1:`belongs to`]->(n1:Hotel) WHERE n1.number = $p1'],
    ['使用Room Service的订单有多少', 'MATCH (t:Booking)-[r1:uses]->(n1:Service) WHERE n1.number = $p1'],
    ['may的积分是多少', 'MATCH (t:Guest) WHERE t.number = $p1'],
    ["what are may's points", 'MATCH (t:Guest) WHERE t.number = $p1'],
    ['客人May有多少个订单', 'MATCH (t:Booking)<-[r1:booked]-(n1:Guest) WHERE n1.number = $p1'],
  ])('%s: takes a name for a name, whatever else its words mean', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['How many bookings through Booking?', 'MATCH (t:Booking) WHERE t.channel = $p1'],
    ['Booking渠道已取消的订单', 'MATCH (t:Booking) WHERE t.channel = $p1 AND t.status = $p2'],
    ['通过Booking下单的客人', 'MATCH (t:Guest)-[r1:booked]->(n1:Booking) WHERE n1.channel = $p1'],
  ])('%s: tells a value from the label that is called like it', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['客人订单数量超过20', 'WHERE n > $p1'],
    ['订单超过20个的客人', 'WHERE n > $p1'],
    ['guests with more than 20 bookings', 'WHERE n > $p1'],
  ])('%s: compares a number of things', async (question, condition) => {
    expect(await ask(question)).toContain(condition);
  });

  it.each([
    ['订单超过2万的客人', /the number of "订单" is compared or what they cost/],
    ['Hotels with rooms over 3000', /the number of "rooms" is compared or what they cost/],
    ['How much is the SPA?', /which property "how much" asks for/],
    ['列出酒店及其城市', /side by side/],
    ['已取消订单的客人和金额', /beside a property of something else/],
    ['Number of rooms by hotel and city', /two things at once/],
    ['所有房间价格都超过300的酒店有哪些', /about all of them/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
