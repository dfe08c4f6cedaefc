import { rootOf } from './word-roots.js';

/**
 * Groups of words that mean one thing in general, in both languages. An equal name in the graph takes precedence over a synonym of a
 * name. Synonyms for one graph only are the aliases of its mapping.
 */
const groups = [
  'movie film picture 电影 影片',
  'act star appear play perform cast 出演 主演 参演 饰演 演员',
  'direct 导演 执导',
  'write author script screenplay screenwriter scriptwriter pen 编剧 编写 撰写 作者',
  'release publish premiere issue 上映 发行 发布 出版',
  'genre type kind sort category class 类型 类别 种类 分类',
  'language tongue speak 语言',
  'tag keyword word describe 标签 关键词',
  'topic theme subject 主题',
  'rating score 评分',
  'customer client buyer 客户 顾客 买家',
  'supplier vendor provider 供应商 供货商',
  'supply provide deliver 供应 提供 供货',
  'product item article goods merchandise 产品 商品 货品',
  'order 订单',
  'employee staff worker 员工 雇员 职员',
  'manage supervise lead head 管理 领导',
  'mentor 指导 辅导 带教',
  'refer referred referral recommend 推荐',
  'company firm corporation enterprise business 公司 企业',
  'person human 人 人物',
  'city town 城市',
  'country nation 国家',
  'region area 地区 区域',
  'locate situate live reside base lie 位于 居住 所在 坐落',
  'contain include comprise 包含 包括',
  'buy purchase 购买 订购 采购',
  'sell 销售 出售',
  'place 下单',
  'belong 属于 隶属',
  'user member account 用户 会员',
  'store shop 门店 商店 店铺',
  'ship dispatch 发货 运送',
  'price cost 价格',
  'school college university 学校',
  'book 书 书籍 图书',
  'birth born 出生 生于 诞生',
  'hire recruit join 入职 加入 加盟 受雇 聘用',
  'founded establish 成立 创立 创办 创建 建立 设立',
  'build construct 建造 修建 建成',
  'open 开业 开张 启用 开馆',
  'register registration 注册 登记',
  'admit admission 入院 收治',
  'discharge 出院',
  'borrow loan checkout 借出 借阅',
  'return 归还 退还',
  'start begin 开始',
  'end finish 结束 完成',
  'expire expiry expiration 到期 过期',
  'sign 签订 签署 签约',
  'cancel cancellation 取消',
  'graduate graduation 毕业',
  'retire retirement 退休',
  'leave left 离职',
  'discover discovery 发现',
  'publish publication 发表 出版',
  'arrive arrival 到达 抵达',
  'depart departure 出发 启程',
  'pay payment 付款 支付',
  'enroll enrollment 入学',
];

const groupOf = new Map(
  groups.flatMap(line => {
    const words = line.split(' ');
    const canonical = rootOf(words[0] ?? '');
    return words.map((word): [string, string] => [rootOf(word), canonical]);
  }),
);

/** The root of the first word in the word's group of synonyms; the root of the word itself if it has no group. */
export function senseOf(word: string): string {
  const root = rootOf(word);
  return groupOf.get(root) ?? root;
}
