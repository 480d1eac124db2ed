/** Deposit into Relay's depository program on the primary chain. */
import { bytesField, numberField, type SourceCall } from '../../../domain/bridge/source-call.ts';
import { programAddress } from '../../../domain/launch/program-address.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { deriveTokenAccount } from '../cctp/burn.ts';

/** Relay's depository program on the primary chain. */
export const RELAY_DEPOSITORY_PROGRAM = '99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2';
/** Discriminator of the instruction `deposit_token`. */
const DEPOSIT_TOKEN = '0b9c60da27a3b413';

/** Account of the program's state. */
const DEPOSITORY = programAddress(RELAY_DEPOSITORY_PROGRAM, ['relay_depository']).address;
/** Owner of deposited tokens. Only the program can sign for it. */
const VAULT = programAddress(RELAY_DEPOSITORY_PROGRAM, ['vault']).address;

/** Returns the vault's token account of a mint, which receives deposits. */
export function deriveVaultAccount(mint: string): string {
  return deriveTokenAccount(VAULT, mint);
}

/** Builds the expected deposit of base units by and for the sender. `order` is 0x and 64 hexadecimal digits. */
export function depositCall(sender: string, mint: string, amount: bigint, order: string): SourceCall {
  return {
    program: RELAY_DEPOSITORY_PROGRAM,
    accounts: [
      { name: 'depository', address: DEPOSITORY },
      { name: 'sender', address: sender },
      { name: 'depositor', address: sender },
      { name: 'vault', address: VAULT },
      { name: 'mint', address: mint },
      { name: "sender's token account", address: deriveTokenAccount(sender, mint) },
      { name: 'destination account', address: deriveVaultAccount(mint) },
      { name: 'token program', address: TOKEN_PROGRAM },
      { name: 'associated token program', address: ASSOCIATED_TOKEN_PROGRAM },
      { name: 'system program', address: SYSTEM_PROGRAM },
    ],
    data: [bytesField('instruction', DEPOSIT_TOKEN), numberField('amount', amount, 8), bytesField('order id', order)],
  };
}
