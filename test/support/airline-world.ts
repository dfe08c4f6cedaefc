import { aWorld, edge, propertiesOf } from './question-world.js';

const label = (name: string, aliases: string[], displayProperty: string, properties: Parameters<typeof propertiesOf>[0]) => ({
  name,
  aliases,
  displayProperty,
  keyProperties: ['key'],
  properties: propertiesOf([['key', 'int'], [displayProperty, 'string'], ...properties]),
  rowCount: 9,
});

/**
 * A world of airlines whose names are in Chinese or English, as an owner may mix them. Two edge types lead from flights to airports, and
 * two from pilots to flights. Some properties are booleans, and one edge type has the name of its date.
 */
export const airlines = aWorld({
  labels: [
    label('乘客', ['Passenger', '旅客'], '姓名', [['国籍', 'string', 'nationality'], ['年龄', 'int', 'age'], ['入会日期', 'date', 'joined_on', 'joining date'], ['里程', 'int', 'miles']]),
    label('机场', ['Airport'], '机场名称', [['城市', 'string', 'city'], ['国家', 'string', 'country'], ['枢纽', 'boolean', 'hub'], ['跑道数', 'int', 'runways', 'number of runways']]),
    label('Airline', ['航空公司', '航司', 'carrier'], 'airline name', [['country', 'string'], ['low cost', 'boolean', '低成本'], ['phone', 'string', '电话'], ['founding date', 'date', '成立日期']]),
    label('机型', ['Aircraft Type', 'Aircraft Model'], '机型名称', [['制造商', 'string', 'maker'], ['座位数', 'int', 'seats']]),
    label('Aircraft', ['飞机', 'plane'], 'tail number', [['delivery date', 'date', '交付日期'], ['service status', 'string', '服役状态'], ['book value', 'decimal(12,1)']]),
    label('飞行员', ['Pilot'], '姓名', [['职级', 'string', 'rank'], ['在职', 'boolean', 'active'], ['性别', 'string', 'gender'], ['飞行小时', 'int', 'hours'], ['国籍', 'string', 'nationality'], ['出生日期', 'date', 'birth date'], ['入职日期', 'date', 'hired_on', 'hire date'], ['月薪', 'decimal(12,2)', 'salary']]),
    label('Flight', ['航班'], 'flight number', [['flight date', 'date', '航班日期'], ['international', 'boolean', '国际'], ['status', 'string', '状态'], ['delay minutes', 'int', '延误分钟', 'delay']]),
    label('Ticket', ['机票', '客票'], 'ticket number', [['price', 'decimal(12,2)', '票价'], ['cabin', 'string', '舱位']]),
  ],
  edges: [
    edge('DEPARTS_FROM', ['出发', '起飞', 'departs from'], 'Flight', '机场'),
    edge('ARRIVES_AT', ['到达', 'arrive at'], 'Flight', '机场'),
    edge('HUB_AT', [], 'Airline', '机场'),
    edge('OPERATES', ['运营'], 'Airline', 'Flight'),
    edge('OWNS', ['拥有'], 'Airline', 'Aircraft'),
    edge('OF_TYPE', ['属于机型'], 'Aircraft', '机型'),
    edge('USES', ['使用'], 'Flight', 'Aircraft'),
    edge('受雇于', ['WORKS_FOR', 'employed by', 'work for'], '飞行员', 'Airline'),
    edge('带教', ['MENTORS'], '飞行员', '飞行员'),
    edge('CAPTAINS', ['机长', 'captain', 'captained'], '飞行员', 'Flight'),
    edge('CO_PILOTS', ['副驾驶', 'copilot', 'copiloted'], '飞行员', 'Flight'),
    { ...edge('CERTIFIED_ON', ['持有资质', 'qualified on'], '飞行员', '机型'), properties: propertiesOf([['certified on', 'date']]) },
    edge('购买', ['BOUGHT', 'booked'], '乘客', 'Ticket'),
    edge('FOR_FLIGHT', ['乘坐', 'flew on'], 'Ticket', 'Flight'),
  ],
  toOne: {
    outgoing: ['DEPARTS_FROM', 'ARRIVES_AT', 'OF_TYPE', 'USES', '受雇于', 'FOR_FLIGHT'],
    incoming: ['OPERATES', 'OWNS', '带教', 'CAPTAINS', 'CO_PILOTS', '购买'],
  },
  names: {
    乘客: ['李娜'],
    Airline: ['Delta', 'Air France', 'Lufthansa'],
    Flight: ['CZ105'],
    飞行员: ['王伟', '刘洋', 'Ken Tanaka', 'Zoe Short'],
    机型: ['空客A320', 'C919'],
    机场: ['Changi', 'Orly'],
  },
  values: {
    机场: { 国家: ['德国', '法国', 'Germany', 'China'], 城市: ['北京', '上海'] },
    Airline: { country: ['Germany', '德国', '中国'] },
    机型: { 制造商: ['波音', 'Boeing'] },
    Aircraft: { 'service status': ['在役', 'in service', '已退役'] },
    飞行员: { 职级: ['副驾驶', '机长'], 国籍: ['德国', '中国', 'Germany'] },
    乘客: { 国籍: ['中国'] },
    Flight: { status: ['delayed', 'on time', 'cancelled'] },
    Ticket: { cabin: ['economy', 'business'] },
  },
}); // prettier-ignore
