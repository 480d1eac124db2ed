/** Checks again what owners of wallets have signed: the proofs of linked wallets, and delegations. */
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

/** Answer without a chain: no contract is asked whether it accepts the signature. */
const NO_CONTRACT = async () => ({ ok: true, value: false }) as const;
const IS_SIGNATURE = /^0x([0-9a-fA-F]{2}){65,2048}$/;

/**
 * Tells of wallets and delegations that their owners have not signed.
 * @param evmChainId of the chain whose wallets sign typed data. @returns how many proofs only a contract on that chain can check.
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
    // The contract of a wallet interprets 65 bytes or more.
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
