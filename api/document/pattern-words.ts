/** Descriptions of request patterns: a refusal uses them to say which texts are allowed, with an example. */

const amount = (decimals: number): string => `a decimal number with at most ${decimals} decimals, such as 100.25`;
const BASE64 = 'base64, such as AQID';
const BARS = 'a number of minutes or hours (240m or 4h), such as 5m';

/** Keyed by the pattern as it stands in the schema. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['\\S', 'a text that is not blank, such as prices look wrong'],
  ['^[A-Za-z0-9_-]{1,200}$', 'the nextCursor of a page, such as eyJhdCI6MX0'],
  ['^[a-z][a-z0-9-]{0,63}$', 'a name of at most 64 small letters, digits and -, such as views-orders'],
  ['^[a-z][a-z0-9_-]{0,39}$', 'the name of a role: small letters, digits, _ and -, such as risk_manager'],
  ['^\\d{4}-\\d{2}-\\d{2}$', 'a day such as 2026-03-02'],
  ['^[1-9][0-9]{0,2}[mh]$', BARS],
  ['^[1-9]\\d{0,2}[mh]$', BARS],
  ['^[1-9]\\d{0,8}(\\.\\d{1,6})?$', `1 or more: ${amount(6)}`],
  ['^[1-9]\\d{0,7}(\\.\\d{1,6})?$', `1 or more: ${amount(6)}`],
  ['^\\d{1,13}(\\.\\d{1,6})?$', amount(6)],
  ['^\\d{1,15}(\\.\\d{1,9})?$', amount(9)],
  ['^\\d{1,5}(\\.\\d{1,6})?$', amount(6)],
  ['^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$', amount(6)],
  ['^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})?$', amount(6)],
  ['^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$', amount(12)],
  ['^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,36})?$', amount(36)],
  ['^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$', 'a decimal number up to 100 with at most 4 decimals, such as 2.5'],
  ['^-?\\d+(\\.\\d+)?$', 'a decimal number such as -0.25'],
  ['^(0|[1-9][0-9]{0,3})$', 'a whole number from 0 to 9999, such as 50'],
  ['^[1-9]\\d{0,18}$', 'a whole number of at most 19 digits, such as 1000000000'],
  ['^1(\\.\\d{1,3}){0,2}$', 'a version that begins with 1, such as 1.0.0'],
  ['^[1-9A-HJ-NP-Za-km-z]{32,44}$', 'an address in base58, such as So11111111111111111111111111111111111111112'],
  ['^[1-9A-HJ-NP-Za-km-z]+$', 'an address in base58, such as So11111111111111111111111111111111111111112'],
  ['^0x[0-9a-fA-F]{40}$', '0x and 40 hexadecimal digits, such as 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['^[A-Za-z0-9+/]+={0,2}$', BASE64],
  ['^[A-Za-z0-9+/]{86}==$', `64 bytes in base64, such as ${'A'.repeat(86)}==`],
  ['^(0x[0-9a-fA-F]*|[A-Za-z0-9+/]+={0,2})$', '0x and hexadecimal digits, or base64, such as 0x02f8'],
  ['^(0x[0-9a-fA-F]+|[A-Za-z0-9+/=]+)$', '0x and hexadecimal digits, or base64, such as 0x02f8'],
  ['^[0-9A-Za-z]+$', 'letters and digits, such as 4sGjMW1s'],
  ['^[A-Za-z0-9]{1,10}$', '1 to 10 letters or digits, such as GATE'],
  ['^[A-Za-z0-9][A-Za-z0-9 _-]*$', 'letters, digits, spaces, _ and -, such as mean reversion'],
  ['^[A-Za-z0-9_-]{1,64}$', '1 to 64 letters, digits, _ or -, such as wallet-1'],
  ['^[A-Za-z0-9._:-]{1,64}$', '1 to 64 letters, digits, dots, colons, _ or -, such as slot-1772461860000'],
  ['^[\\x21-\\x7e]+$', 'a key of the universe, such as spotexchange:BTCUSDT'],
  ['^[a-z]+:.{1,64}$', 'a venue and its symbol, such as spotexchange:BTCUSDT'],
  ['^[0-9a-f]{64}$', `64 small hexadecimal digits, such as ${'0af1'.repeat(16)}`],
  ['^pe-[0-9a-f]{24}$', `pe- and 24 small hexadecimal digits, such as pe-${'0af1'.repeat(6)}`],
  ['^pm-[0-9a-f]{24}$', `pm- and 24 small hexadecimal digits, such as pm-${'0af1'.repeat(6)}`],
  ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'an id such as 019a5b1e-7c00-7000-8000-000000000001'],
  ['^[0-9a-f-]{36}:\\d{1,12}:\\d{1,6}$', 'the key of an activity, such as 019a5b1e-7c00-7000-8000-000000000001:4:0'],
  ['^[a-z_]{1,40}$', 'small letters and _, such as agent'],
  ['^(read|research|propose)(,(read|research|propose)){0,2}$', 'sets of read, research and propose, such as read,propose'],
]);

/** Returns the description of a pattern, which ends with an example, or null. */
export const wordsOfPattern = (pattern: string): string | null => WORDS.get(pattern) ?? null;
