import { aWorld, chineseLabel, edge } from './question-world.js';

/** A world of questions about a manufacturer: its suppliers, parts, orders and people. */
export const supplies = aWorld({
  labels: [
    chineseLabel('供应商', ['Supplier', '供货商', 'vendor'], [['省份', 'string', 'province'], ['国家', 'string', 'country'], ['行业', 'string', 'industry'], ['语言', 'string', 'language'], ['等级', 'string', 'level', 'grade'], ['已认证', 'boolean', 'certified'], ['授信额度', 'decimal(14,2)', 'credit'], ['成立日期', 'date', 'founded']]),
    chineseLabel('零件', ['Part', '物料', '零部件'], [['类别', 'string', 'category'], ['单价', 'decimal(12,2)', 'price'], ['状态', 'string', 'status'], ['库存', 'int', 'stock'], ['安全库存', 'int', 'safety_stock']]),
    chineseLabel('工厂', ['Factory', 'plant'], [['城市', 'string', 'city'], ['投产日期', 'date', 'opened'], ['年产能', 'int', 'capacity']]),
    chineseLabel('员工', ['Employee', '职员', 'staff'], [['职位', 'string', 'title'], ['入职日期', 'date', 'hired'], ['月薪', 'decimal(10,2)', 'salary']]),
    chineseLabel('采购单', ['PurchaseOrder', '采购订单', 'purchase order'], [['下单日期', 'date', 'ordered'], ['金额', 'decimal(14,2)', 'amount'], ['状态', 'string', 'status']]),
    chineseLabel('发货单', ['Shipment'], [['数量', 'int', 'qty'], ['发货日期', 'date', 'shipped'], ['签收日期', 'date', 'signed'], ['状态', 'string', 'status']]),
  ],
  edges: [
    edge('供应', ['SUPPLIES', '供货'], '供应商', '零件'),
    edge('组成', ['CONSISTS_OF', '子件'], '零件', '零件'),
    edge('采购自', 'ORDERED_FROM', '采购单', '供应商'),
    edge('订购', ['INCLUDES', '采购'], '采购单', '零件'),
    edge('采购员', ['BUYER', '下单人'], '采购单', '员工'),
    edge('装运', 'CARRIES', '发货单', '零件'),
    edge('汇报给', ['REPORTS_TO', '上级'], '员工', '员工'),
    edge('任职于', ['WORKS_AT', '所属工厂'], '员工', '工厂'),
  ],
  toOne: { outgoing: ['采购自', '采购员', '装运', '汇报给', '任职于'], incoming: [] },
  names: { 供应商: ['宏达轴承'], 零件: ['高压阀', '小齿轮', '减速机', 'Bolt'], 工厂: ['苏州总装一厂'], 员工: ['王芳'] },
  values: {
    供应商: { 省份: ['广东', '四川', '辽宁', '江苏'], 等级: ['A', 'B'] },
    零件: { 类别: ['阀门', '轴承'], 状态: ['启用', '停用'] },
    工厂: { 城市: ['苏州'] },
    员工: { 职位: ['厂长', '采购员'] },
    采购单: { 状态: ['已到货'] },
    发货单: { 状态: ['在途', '已签收'] },
  },
}); // prettier-ignore
