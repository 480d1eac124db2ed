/** Member wallets on the sandbox's EVM chain, as EIP-1193 providers. */
import { type Hex, keccak256, type TypedDataDefinition, toBytes } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** Methods that are passed on to the chain's node. */
const READS = ['eth_chainId', 'eth_blockNumber', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'];
const PATIENCE_MS = 5_000;

type Answer = (method: string, params: readonly unknown[]) => Promise<unknown>;

/**
 * Creates the provider of a wallet whose key is derived from a name.
 * @param url URL of the chain's node
 * @throws RangeError if the wallet does not support a method, or the node refuses it
 */
export function createMemberWallet(url: string, name: string): Answer {
  const node: Answer = (method, params) => askNode(url, method, params);
  const account = deriveAccount(name);
  return async (method, params) => {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address];
    if (method === 'eth_sendTransaction') return send(node, account, params[0]);
    if (method === 'eth_signTypedData_v4') {
      assertOwn(account, params[0]);
      return account.signTypedData(JSON.parse(String(params[1])) as TypedDataDefinition);
    }
    if (READS.includes(method)) return node(method, params);
    throw new RangeError(`the wallet of the sandbox does not answer ${method}`);
  };
}

/** Derives the account of a name. Skips addresses that end in 0, which the simulator leaves empty. */
function deriveAccount(name: string): PrivateKeyAccount {
  for (let number = 0; ; number++) {
    const account = privateKeyToAccount(keccak256(toBytes(`sandbox ${name} ${number}`)));
    if (!account.address.endsWith('0')) return account;
  }
}

function assertOwn({ address }: PrivateKeyAccount, asked: unknown): void {
  if (String(asked).toLowerCase() !== address.toLowerCase())
    throw new RangeError(`the wallet of the sandbox signs for ${address} alone, not for ${String(asked)}`);
}

async function send(node: Answer, account: PrivateKeyAccount, call: unknown): Promise<unknown> {
  const { from, to, data, value = '0x0' } = (call ?? {}) as Readonly<Record<string, string | undefined>>;
  assertOwn(account, from);
  const [nonce, chainId, gas, price] = await Promise.all([
    node('eth_getTransactionCount', [account.address, 'pending']),
    node('eth_chainId', []),
    node('eth_estimateGas', [{ from, to, data, value }]),
    node('eth_gasPrice', []),
  ]);
  const signed = await account.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce: Number(nonce),
    to: to as Hex,
    data: (data ?? '0x') as Hex,
    value: BigInt(value),
    gas: BigInt(String(gas)),
    maxFeePerGas: BigInt(String(price)),
    maxPriorityFeePerGas: 0n,
  });
  return node('eth_sendRawTransaction', [signed]);
}

async function askNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw new RangeError(`the sandbox's EVM chain answers ${response.status}`);
  const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: { readonly message: string } };
  if (error !== undefined) throw new RangeError(error.message);
  return result ?? null;
}
