/** The EVM chain beside the perpetuals venue, and its tokens that are read for linked wallets. */

/** A token, by its contract. */
interface EvmToken {
  readonly symbol: string;
  readonly contract: `0x${string}`;
  readonly decimals: number;
}

/** Arbitrum One, through which the perpetuals venue is funded. */
export const EVM_CHAIN_ID = 42_161;

/** Issuers' own contracts on Arbitrum One. Only the sandbox uses these decimals. A real node is asked for them. */
export const EVM_TOKENS: readonly EvmToken[] = [
  { symbol: 'USDC', contract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
  { symbol: 'USDC.e', contract: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', decimals: 6 },
  { symbol: 'USDT', contract: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
  { symbol: 'WETH', contract: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', decimals: 18 },
];
