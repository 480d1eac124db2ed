/** Buttons of the wallets in this browser beside what is to be signed; the console's own module talks to them. */
import { useEffect, useRef } from 'react';
import { api, isSignedOut, refresh, signedOut } from '../api.ts';

interface Prepared {
  /** Transactions as base64. */
  readonly unsigned: readonly string[];
  readonly signer: string;
  readonly handIn: (signed: readonly string[]) => Promise<unknown>;
}

/** @param props.prepare Reads what is to be signed; the first one that is given stays. */
export function Signing({ prepare }: { readonly prepare: () => Promise<Prepared> }) {
  const place = useRef<HTMLDivElement>(null);
  const first = useRef(prepare);
  useEffect(() => {
    const abort = new AbortController();
    const fail = (error: unknown) => signedOut.set(signedOut.get() || isSignedOut(error));
    void import('../../wallet-signing.js').then(({ transactionSigning }) => {
      if (abort.signal.aborted) return;
      place.current?.replaceChildren(transactionSigning({ prepare: () => first.current(), fail, signal: abort.signal }));
    }, fail);
    return () => abort.abort();
  }, []);
  return <div ref={place} className="signing" />;
}

/** Signs a swap that is prepared. */
export function SwapSigning({ id }: { readonly id: string }) {
  const prepare = async () => {
    const { transaction, wallet } = await api.getSwap({ id });
    const handIn = async ([signedTransaction = '']: readonly string[]) => {
      await api.executeSwap({ id, body: { signedTransaction } });
      refresh('swaps');
    };
    return { unsigned: [transaction], signer: wallet, handIn };
  };
  return <Signing prepare={prepare} />;
}
