/**
 * Buttons of this browser's wallets next to the content to sign. Each signature is checked against the given content before it is
 * submitted.
 */
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { TransactionContent } from '../../../src/domain/solana/signed-elsewhere.ts';
import { plain } from '../../words.js';
import { api, isSignedOut, refresh, signedOut, type BridgeTransfer, type WalletChallenge } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import {
  requestAddresses,
  toBase64,
  type BrowserWallet,
  type Chain,
  type EvmWallet,
  fromBase64,
  mined,
  type SolanaWallet,
  sendCall,
  signText,
  signTransactions,
  signTypedData,
  wallets,
} from './standards.ts';
import { useSandboxWallet } from './sandbox-wallet.tsx';
import { FigureList, renderItems } from '../kit/lists.tsx';

/** Transactions to sign, in order, and their submission. */
export interface Prepared {
  /** Transactions as base64. */
  readonly unsigned: readonly string[];
  readonly signer: string;
  readonly handIn: (signed: readonly string[]) => Promise<unknown>;
}

interface Doing {
  readonly tell: (words: string) => void;
  readonly show: (node: ReactNode) => void;
  readonly signal: AbortSignal;
}

interface WalletButtonsProps {
  readonly chain: Chain;
  /** Text of the buttons before the wallet's name. */
  readonly verb: string;
  readonly act: (wallet: never, doing: Doing) => Promise<void>;
}

/** Converts a value thrown by a wallet to an Error. */
function toError(error: unknown): unknown {
  if (error instanceof Error || typeof error !== 'object' || error === null || !('message' in error)) return error;
  return new Error(`The wallet rejected the request: ${String(error.message)}`);
}

function WalletButtons({ chain, verb, act }: WalletButtonsProps) {
  const found = useStore(wallets).filter((wallet) => wallet.chain === chain);
  const [busy, setBusy] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [shown, setShown] = useState<ReactNode>(null);
  const abort = useRef(new AbortController());
  useSandboxWallet();
  useEffect(() => {
    const current = new AbortController();
    abort.current = current;
    return () => current.abort();
  }, []);
  const press = async (wallet: BrowserWallet) => {
    setBusy(wallet.id);
    setError(null);
    setShown(null);
    setNote(`Waiting for ${wallet.name}…`);
    try {
      await act(wallet as never, { tell: setNote, show: setShown, signal: abort.current.signal });
    } catch (thrown) {
      setNote('');
      if (isSignedOut(thrown)) signedOut.set(true);
      if (!abort.current.signal.aborted) setError(toError(thrown));
    } finally {
      setBusy(null);
    }
  };
  return (
    <div className="wallet-signing">
      <div className="wallet-buttons" role="group" aria-label="Browser wallets">
        {found.map((wallet) => (
          <Button key={wallet.id} loading={busy === wallet.id} disabled={busy !== null} onClick={() => void press(wallet)}>
            {verb} {wallet.name}
          </Button>
        ))}
      </div>
      {shown}
      <p className="faint" role="status">
        {found.length === 0 ? 'No wallet for this chain in this browser. Install or unlock one, then reload.' : note}
      </p>
      <Refusal error={error} />
    </div>
  );
}

/**
 * Signs prepared transactions of the primary chain: one, or several that belong together.
 * @param props.prepare Reads the transactions to sign. Receives the addresses of the chosen wallet.
 */
export function Signing({ prepare }: { readonly prepare: (addresses: readonly string[]) => Promise<Prepared> }) {
  const act = async (wallet: SolanaWallet, { tell, show }: Doing) => {
    const { unsigned, signer, handIn } = await prepare(await requestAddresses(wallet));
    const prepared = unsigned.map(fromBase64);
    const { describeContent, objectionTo } = await import('../../../src/domain/solana/signed-elsewhere.ts');
    show(<Contents of={prepared.map(describeContent)} />);
    tell(`Check the details in ${wallet.name} and confirm there.`);
    const signed = await signTransactions(wallet, signer, prepared);
    for (const [index, bytes] of prepared.entries()) {
      const objection = objectionTo(bytes, signed[index] as Uint8Array, signer);
      if (objection !== null) throw new Error(`Not submitted: ${wallet.name} signed a different transaction: ${objection}.`);
    }
    tell('Submitting…');
    await handIn(signed.map(toBase64));
    tell('Submitted unchanged.');
  };
  return <WalletButtons chain="spotchain" verb="Sign with" act={act} />;
}

/** Contents of the transactions in sentences, as the wallet receives them. */
const Contents = ({ of }: { readonly of: readonly TransactionContent[] }) => (
  <div className="transaction-words">
    {of.map(({ feePayer, sentences }, index) => {
      const which = of.length === 1 ? 'The transaction' : `Transaction ${index + 1} of ${of.length}`;
      return (
        <div key={which}>
          <p>
            {which} is paid for by <code>{feePayer}</code> and does this:
          </p>
          <ol aria-label={which}>{renderItems(sentences)}</ol>
        </div>
      );
    })}
  </div>
);

interface TextSigningProps {
  readonly address: string;
  readonly text: string;
  readonly handIn: (signature: string) => Promise<unknown>;
}

/** Signs a text with a wallet of the primary chain, for example a proof of ownership. */
export function TextSigning({ address, text, handIn }: TextSigningProps) {
  const act = async (wallet: SolanaWallet, { tell }: Doing) => {
    await handIn(await signText(wallet, address, text));
    tell('');
  };
  return <WalletButtons chain="spotchain" verb="Sign with" act={act} />;
}

interface TypedDataSigningProps {
  readonly address: string;
  readonly typedData: NonNullable<WalletChallenge['typedData']>;
  readonly handIn: (signature: string) => Promise<unknown>;
}

/** Signs typed data of the EVM chain, whose fields are shown first. */
export function TypedDataSigning({ address, typedData, handIn }: TypedDataSigningProps) {
  const { domain, message } = typedData;
  const act = async (wallet: EvmWallet, { tell }: Doing) => {
    await handIn(await signTypedData(wallet, address, typedData));
    tell('');
  };
  return (
    <>
      <FigureList
        look="facts left"
        lines={[
          ['Domain', `${domain.name} ${domain.version} on the chain ${domain.chainId}`],
          ...Object.entries(message).map(([name, value]) => [plain(name), value] as const),
        ]}
      />
      <WalletButtons chain="evmvenue" verb="Sign with" act={act} />
    </>
  );
}

interface CallSendingProps {
  readonly transaction: Extract<BridgeTransfer['transaction'], { kind: 'evm' }>;
  /** Throws if the calls must not be sent anymore. */
  readonly assertCurrent: () => void;
  readonly handIn: (hash: string) => Promise<unknown>;
}

/** Sends calls of the EVM chain one after the other: an approval if one is needed, then the transfer. */
export function CallSending({ transaction, assertCurrent, handIn }: CallSendingProps) {
  const act = async (wallet: EvmWallet, { tell, show, signal }: Doing) => {
    const { approval } = transaction;
    if (approval !== null) {
      tell(`First approve the token allowance for ${approval.spender} in ${wallet.name}.`);
      await mined(wallet, await sendCall(wallet, approval, assertCurrent), signal);
    }
    tell(`Check the details in ${wallet.name} and confirm there.`);
    const hash = await sendCall(wallet, transaction, assertCurrent);
    // Stays in sight if the service does not take it.
    show(
      <p>
        Sent as <code>{hash}</code>
      </p>,
    );
    tell('Submitting the transaction hash…');
    await handIn(hash);
    tell('Submitted.');
  };
  return <WalletButtons chain="evmvenue" verb="Sign and send with" act={act} />;
}

export function SwapSigning({ id }: { readonly id: string }) {
  const prepare = async () => {
    const { transaction, wallet } = await api.getSwap({ id });
    const handIn = async ([signedTransaction = '']: readonly string[]) => {
      await api.executeSwap({ id, body: { signedTransaction } });
      refresh('swaps', 'proposals');
    };
    return { unsigned: [transaction], signer: wallet, handIn };
  };
  return <Signing prepare={prepare} />;
}
