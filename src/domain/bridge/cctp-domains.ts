/** Circle's chain numbers. See docs/reference/outside/cctp.md. */

export const SOLANA_DOMAIN = 5;
/** CCTP domains by the id of an EVM chain. */
export const EVM_DOMAINS: Readonly<Record<number, number>> = {
  1: 0,
  43_114: 1,
  10: 2,
  42_161: 3,
  8_453: 6,
  137: 7,
  130: 10,
  59_144: 11,
  146: 13,
};
