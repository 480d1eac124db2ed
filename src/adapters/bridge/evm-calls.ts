/** Encodes and decodes the EVM contract calls of bridge transfers. */
import { decodeFunctionData, encodeFunctionData, erc20Abi, getAddress, type Hex, pad, parseAbi } from 'viem';
import type { EvmApproval, UnsignedEvmTransaction } from '../../domain/bridge/quote.ts';

export const TOKEN_MESSENGER_ABI = parseAbi([
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
]);
export const DEPOSITORY_ABI = parseAbi(['function depositErc20(address depositor, address token, uint256 amount, bytes32 id)']);

/** Returns an approval of exactly the amount; null if the allowance suffices. */
export function approvalFor(
  where: Pick<UnsignedEvmTransaction, 'chainId' | 'from'> & { readonly token: string; readonly spender: string },
  amount: bigint,
  allowance: bigint,
): EvmApproval | null {
  if (allowance >= amount) return null;
  const { chainId, from, token, spender } = where;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [getAddress(spender), amount] });
  return { kind: 'evm', chainId, from, to: getAddress(token), data, value: '0', spender: getAddress(spender), amount: String(amount) };
}

/** Returns how a provider's deposit call differs from the requested one, or null if it does not. The id must be that of the order. */
export function depositObjection(
  data: string,
  expected: { readonly depositor: string; readonly token: string; readonly amount: bigint; readonly id: string },
): string | null {
  try {
    const { args } = decodeFunctionData({ abi: DEPOSITORY_ABI, data: data as Hex });
    const [depositor, token, amount, id] = args;
    // The encoding must be exact: bytes after the arguments would be signed without being checked.
    if (encodeFunctionData({ abi: DEPOSITORY_ABI, args }) !== data.toLowerCase()) return 'its data has a second encoding';
    if (depositor !== getAddress(expected.depositor)) return `it deposits for ${depositor} instead of ${expected.depositor}`;
    if (token !== getAddress(expected.token)) return `it deposits the token ${token}`;
    if (amount !== expected.amount) return `it deposits ${amount} instead of ${expected.amount}`;
    if (id !== expected.id.toLowerCase()) return `it deposits for the order ${id} instead of ${expected.id}`;
    return null;
  } catch {
    return 'its data is no deposit of a token';
  }
}

/** Encodes an EVM address as 32 bytes, with leading zeros. */
export function wide(address: string): Hex {
  return pad(getAddress(address), { size: 32 });
}
