import { type MappingWord } from './mapping-key.js';
import { type Format } from './mapping.js';

/** The formats that the rule `format` supports, with their descriptions. */
export const formatWords: Record<Format, MappingWord> = {
  email: {
    meaning: { zh: '邮箱地址，域名至少有一个点', en: 'An e-mail address whose domain has a dot' },
    example: '{column: email, rules: [{format: email}]}',
  },
  url: {
    meaning: { zh: '以 http:// 或 https:// 开头、带主机名的网址', en: 'An address that starts with http:// or https:// and names a host' },
    example: '{column: homepage, rules: [{format: url}]}',
  },
  uuid: {
    meaning: { zh: '以连字符分为 8-4-4-4-12 位十六进制数', en: 'Hexadecimal digits in groups of 8-4-4-4-12 with hyphens' },
    example: '{column: badge_no, rules: [{format: uuid}]}',
  },
  phone_cn: {
    meaning: {
      zh: '中国大陆的手机号（可带 +86）、带区号的座机，或 400、800 号码',
      en: 'A mobile number of mainland China (also with +86), a landline with its area code, or a 400 or 800 number',
    },
    example: '{column: phone, type: string, rules: [{format: phone_cn}]}',
  },
  id_card_cn: {
    meaning: {
      zh: '18 位公民身份号码（GB 11643），检查出生日期与校验码',
      en: 'A citizen identity number of 18 characters (GB 11643); the date of birth and the checksum are checked',
    },
    example: '{column: id_no, type: string, sensitive: true, rules: [{format: id_card_cn}]}',
  },
  uscc_cn: {
    meaning: {
      zh: '18 位统一社会信用代码（GB 32100），检查校验码；字母大写',
      en: 'A unified social credit code of 18 characters (GB 32100) in upper case; the checksum is checked',
    },
    example: '{column: uscc, type: string, rules: [{format: uscc_cn}]}',
  },
  iso_country: {
    meaning: { zh: 'ISO 3166-1 的两个大写字母，如 CN', en: 'Two capital letters of ISO 3166-1, such as CN' },
    example: '{column: country_code, rules: [{format: iso_country}]}',
  },
  json: { meaning: { zh: 'JSON 文本', en: 'A text that is JSON' }, example: '{column: settings, type: string, rules: [{format: json}]}' },
};

/** The country codes that ISO 3166-1 alpha-2 has officially assigned. */
export const countryCodes =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK
  CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
  GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV
  LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR
  TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/);

/** Whether a refused identity number has the right form, so that only its check character can be wrong. */
export function failsChecksum(format: Format, value: string): boolean {
  if (format === 'id_card_cn') return /^[1-9]\d{5}[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]$/.test(value);
  return format === 'uscc_cn' && usccForm.test(value);
}

const usccForm = /^[0-9A-HJ-NPQRTUWXY]{2}[0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}$/;
