import { type Format } from '../mapping/mapping.js';
import { countryCodes } from '../mapping/rule-formats.js';
import { type SqlBuilder } from './sql-builder.js';

/** The WHATWG form of an e-mail address, whose domain must have a dot here. */
const email = `'^[a-zA-Z0-9.!#$%&''*+/=?^_\`{|}~-]+@([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\\.)+[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$'`;
const url = `'^[hH][tT][tT][pP][sS]?://([^][\\s/?#:@<>"\\\\]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?([/?#]\\S*)?$'`;
const phone = `'^((\\+86[ -]?)?1[3-9][0-9]{9}|0[0-9]{2,3}-?[2-9][0-9]{6,7}|[48]00-?[0-9]{3}-?[0-9]{4})$'`;
const idCard = `'^[1-9][0-9]{16}[0-9Xx]$'`;
const uscc = `'^[0-9A-HJ-NPQRTUWXY]{2}[0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}$'`;
/** The weights of the digits of an identity number by GB 11643, which uses ISO 7064 MOD 11-2. */
const idCardWeights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
/**
 * The weights of the characters of a social credit code by GB 32100: powers of 3 modulo 31. The check character makes the weighted sum a
 * multiple of 31, so its own weight is 1.
 */
const usccWeights = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28, 1];

/**
 * SQL that is true when a text has the format. `text` should be a short SQL expression, because some formats repeat it for each character.
 */
export function hasFormat(sql: SqlBuilder, text: string, format: Format): string {
  switch (format) {
    case 'email':
      return `(char_length(${text}) <= 254 AND ${text} ~ ${email})`;
    case 'url':
      return `${text} ~ ${url}`;
    case 'uuid':
      // PostgreSQL also accepts braces and hyphens in other places of a UUID, so LIKE checks the hyphens.
      return `(${text} LIKE '________-____-____-____-____________' AND pg_input_is_valid(${text}, 'uuid'))`;
    case 'phone_cn':
      return `${text} ~ ${phone}`;
    case 'id_card_cn': {
      const digits = idCardWeights.map((weight, index) => `${weight} * (ascii(substr(${text}, ${index + 1}, 1)) - 48)`);
      const checked = `substr('10X98765432', (${digits.join(' + ')}) % 11 + 1, 1) = upper(right(${text}, 1))`;
      return `CASE WHEN ${text} ~ ${idCard} AND pg_input_is_valid(substr(${text}, 7, 8), 'date') THEN ${checked} ELSE false END`;
    }
    case 'uscc_cn': {
      const characters = usccWeights.map(
        (weight, index) => `${weight} * (strpos('0123456789ABCDEFGHJKLMNPQRTUWXY', substr(${text}, ${index + 1}, 1)) - 1)`,
      );
      return `CASE WHEN ${text} ~ ${uscc} THEN (${characters.join(' + ')}) % 31 = 0 ELSE false END`;
    }
    case 'iso_country':
      return `${text} = ANY(${sql.bind(countryCodes, 'text[]')})`;
    case 'json':
      return `pg_input_is_valid(${text}, 'json')`;
    default:
      return format satisfies never;
  }
}
