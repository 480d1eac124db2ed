/**
 * Wallet of the sandbox, by the wallet standard on the primary chain and EIP-6963 on the EVM chain. Its keys are in the sandbox, its
 * coins are worthless, and a faucet funds it.
 */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api, type SandboxWallet } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { toBase64, type EvmProvider, fromBase64, lookForWallets, type StandardWallet } from './standards.ts';

const NAME = 'Sandbox wallet';
const CHAIN = 'solana:localnet';
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Address of the registered wallet. Each member has their own. */
let registered: string | null = null;

type Opened = Pick<SandboxWallet, 'address' | 'evmAddress'>;

/** Registers the member's sandbox wallet for all pages that sign. The wallet is null if the service runs no sandbox. */
export function useSandboxWallet() {
  const mayTrade = useMay('trade:execute');
  const read = useQuery({
    queryKey: ['sandbox-wallet'],
    queryFn: async (): Promise<Opened | null> => {
      try {
        return await api.useSandboxWallet({ body: { act: 'open' } });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    staleTime: Infinity,
    enabled: mayTrade,
  });
  const opened = read.data ?? null;
  useEffect(() => {
    lookForWallets();
    if (opened === null || registered === opened.address) return;
    registered = opened.address;
    register(opened.address);
    if (opened.evmAddress !== null) announce();
  }, [opened]);
  return read;
}

/** Registers the wallet by the wallet standard. */
function register(address: string): void {
  const wallet = createWallet(address);
  const callback = ({ register: take }: { register(wallet: StandardWallet): void }) => take(wallet);
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
}

/** Announces the EVM wallet (EIP-6963), which answers EIP-1193 calls. */
function announce(): void {
  const request: EvmProvider['request'] = async ({ method, params = [] }) => {
    // It knows one chain: a request for another stays on it, and reports its number.
    if (method === 'wallet_switchEthereumChain') return null;
    return (await api.useSandboxWallet({ body: { act: 'evm_request', method, params: [...params] } })).result;
  };
  const info = { uuid: 'sevengate-sandbox', name: NAME, rdns: 'sandbox.sevengate' };
  dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider: { request } } }));
}

interface ToSign {
  readonly transaction: Uint8Array;
}

interface Message {
  readonly message: Uint8Array;
}

function createWallet(address: string): StandardWallet {
  const account = { address, publicKey: fromBase58(address), chains: [CHAIN], features: ['solana:signTransaction', 'solana:signMessage'] };
  const features = {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: (...inputs: readonly ToSign[]) =>
        Promise.all(
          inputs.map(async ({ transaction }) => {
            const signed = await api.useSandboxWallet({ body: { act: 'sign_transaction', transaction: toBase64(transaction) } });
            return { signedTransaction: fromBase64(signed.transaction ?? '') };
          }),
        ),
    },
    'solana:signMessage': {
      version: '1.0.0',
      signMessage: (...inputs: readonly Message[]) =>
        Promise.all(
          inputs.map(async ({ message }) => {
            const { signature } = await api.useSandboxWallet({ body: { act: 'sign_text', text: new TextDecoder().decode(message) } });
            return { signedMessage: message, signature: fromBase64(signature ?? '') };
          }),
        ),
    },
  };
  return { name: NAME, chains: [CHAIN], features, accounts: [account] };
}

/** Decodes base58, the chain's encoding of keys. */
function fromBase58(text: string): Uint8Array {
  const digits = Array.from(text)
    .reduce((sum, letter) => sum * 58n + BigInt(ALPHABET.indexOf(letter)), 0n)
    .toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = digits === '0' ? '' : digits.padStart(digits.length + (digits.length % 2), '0');
  return Uint8Array.from([...Array<number>(zeros).fill(0), ...(hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))]);
}

/** Sandbox wallet with its faucet. Renders nothing outside the sandbox, or for a member who may not trade. */
export function SandboxWalletCard() {
  const read = useSandboxWallet();
  const mayTrade = useMay('trade:execute');
  if (!mayTrade) return null;
  return <Loaded query={read}>{(opened) => opened !== null && <Faucet wallet={opened} />}</Loaded>;
}

function Faucet({ wallet: { address, evmAddress } }: { readonly wallet: Opened }) {
  const filling = useMutation({
    mutationFn: () => api.useSandboxWallet({ body: { act: 'fund' } }),
    onSuccess: () => notifications.show({ color: 'teal', message: 'The faucet brought 10 SOL and 10,000 USDC.' }),
  });
  return (
    <section className="card claims stack" aria-label="Sandbox wallet">
      <div className="page-head">
        <h2>Sandbox wallet</h2>
        <Address address={address} />
        {evmAddress !== null && <Address address={evmAddress} />}
        <span className="space" />
        <Button variant="default" loading={filling.isPending} onClick={() => filling.mutate()}>
          Get 10 SOL and 10,000 USDC
        </Button>
      </div>
      <p className="faint">
        A wallet of yours on the simulated chains. It signs swaps, launches, licences and transfers like a real one, and its coins are worth
        nothing.
      </p>
      <Refusal error={filling.error} />
    </section>
  );
}
