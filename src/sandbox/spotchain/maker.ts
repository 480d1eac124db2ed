/** Maker of the prices at the sandbox's aggregator: an address that signs every swap beside its taker. */

/** The address of the sandbox's key pair `maker` (src/sandbox/solana/keys.ts), written out so that it can be read without the chain. */
export const SANDBOX_MAKER = '7YXHq3HWXPAx2ZXUVPSSxZfER1Xd4s7jSZuHgmAsTR3i';
