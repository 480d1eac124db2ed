/** Discriminators, the first eight bytes of an instruction, by program. Pages load this file too, so it must not use Node. */

const discriminator = (hex: string): Uint8Array =>
  Uint8Array.from({ length: 8 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));

/** Instructions of the bonding-curve program. */
export const CURVE_INSTRUCTIONS = {
  createConfig: discriminator('c9cff3724b6f2fbd'),
  initializePool: discriminator('8c55d7b06636684f'),
  swap: discriminator('f8c69e91e17587c8'),
  swap2: discriminator('414b3f4ceb5b5b88'),
  claimCreatorFee: discriminator('52dcfabd03556b2d'),
  claimPartnerFee: discriminator('08ec5931987db151'),
  creatorSurplus: discriminator('a50389071c864c50'),
  partnerSurplus: discriminator('a8ad4864c962265c'),
  migrationFee: discriminator('ed8e2d178106dea2'),
  createLocker: discriminator('a75a899a4b2f1154'),
  migrate: discriminator('9ca9e66735e45040'),
} as const;

/** Instruction of the locker that pays out the unlocked part. */
export const LOCKER_CLAIM = discriminator('3ec6d6c1d59f6cd2');
