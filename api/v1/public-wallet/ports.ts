/** Perpetuals-venue port of the public-wallet route. */
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { PublicWallet } from '../../../src/domain/identity/wallet.ts';

/** Reads a wallet of the perpetuals venue as the venue reports it. */
export interface PublicWalletReads {
  read(address: string): Promise<Outcome<PublicWallet>>;
}
