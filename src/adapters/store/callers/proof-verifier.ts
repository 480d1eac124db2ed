/** Verifies the signatures of wallet owners again: proofs of linked wallets, and delegations. */
import type { EpochMs } from '../../../domain/values/time.ts';
import { isTextSigned, isWalletTextSigned } from '../../identity/wallet-signature.ts';
import type { Transaction } from '../database.ts';

interface StoredProof {
  readonly id: string;
  readonly org_id: string;
  readonly address: string;
  readonly challenge: string;
  readonly signature: string;
  readonly at: EpochMs;
}

/** Result without a chain: no contract can be asked. */
const NO_CONTRACT = async () => ({ ok: true, value: false }) as const;
const IS_SIGNATURE = /^0x([0-9a-fA-F]{2}){65,2048}$/;

/**
 * Reports wallets and delegations without a valid signature of their owner. Returns the number of proofs that only a contract can verify.
 * @param evmChainId chain of signed typed data
 */
export async function verifyProofs(
  sql: Transaction,
  evmChainId: number,
  complain: (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown,
): Promise<number> {
  let byContracts = 0;
  const wallets = await sql<
    StoredProof[]
  >`select id, org_id, address, challenge, signature, proved_at as at from linked_wallets order by proved_at, id`;
  for (const { id, org_id: orgId, address, challenge, signature, at } of wallets) {
    const lines = challenge.split('\n');
    const namesIt = lines.includes(`Organization: ${orgId}`) && lines.includes(`Wallet: ${address}`);
    const isOwn = await isWalletTextSigned(address, challenge, signature, { chainId: evmChainId, takesSignature: NO_CONTRACT });
    if (namesIt && isOwn.ok && isOwn.value) continue;
    // Signatures of 65 bytes or more may be for the wallet's contract.
    if (namesIt && address.startsWith('0x') && IS_SIGNATURE.test(signature)) byContracts++;
    else
      complain(at, null, 'wallet', `the wallet ${address} (${id}) is linked to organization ${orgId}, and its owner has not signed that`);
  }
  const delegations = await sql<
    { id: string; agent_id: string; wallet: string; challenge: string; owner_signature: string; at: EpochMs }[]
  >`
    select id, agent_id, wallet, challenge, owner_signature, granted_at as at from delegations order by granted_at, id`;
  for (const { id, agent_id, wallet, challenge, owner_signature, at } of delegations)
    if (!isTextSigned(wallet, challenge, owner_signature))
      complain(at, agent_id, 'delegation', `delegation ${id} of the wallet ${wallet} does not carry its owner's signature`);
  return byContracts;
}
