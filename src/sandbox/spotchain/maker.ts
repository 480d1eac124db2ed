/** Market maker of the sandbox's aggregator, which signs every swap beside its taker. */

/** Address of the key pair `sandboxKey('maker')` (src/sandbox/solana/keys.ts), repeated here so that reading it does not load the chain. */
export const SANDBOX_MAKER = '7YXHq3HWXPAx2ZXUVPSSxZfER1Xd4s7jSZuHgmAsTR3i';
