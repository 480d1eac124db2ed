/** Links a wallet: its owner signs a text of the service, in this browser or elsewhere. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { clockAndZone } from '../../words.js';
import { api, refresh, type LinkedWallet, type WalletChallenge } from '../api.ts';
import { shortAddress } from '../kit/address.tsx';
import { Form, Written } from '../kit/form.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { TextSigning, TypedDataSigning } from './signing.tsx';
import { useSandboxWallet } from './sandbox-wallet.tsx';
import { requestAddresses, type BrowserWallet, wallets } from './standards.ts';

export const CHAINS: Record<LinkedWallet['chain'], string> = { spotchain: 'primary chain', evmvenue: 'EVM chain' };

/** `cold 0x1234…abcd`, or the address alone if the wallet has no name. */
export const walletName = ({ label, address }: LinkedWallet): string =>
  label === null ? shortAddress(address) : `${label} ${shortAddress(address)}`;

export function LinkWallet() {
  const asking = useMutation({ mutationFn: (address: string) => api.challengeWallet({ body: { address } }) });
  return (
    <section className="card claims stack" aria-label="Link a wallet">
      <h2>Link a wallet</h2>
      <p className="faint">Its owner signs a text of this service. It costs nothing and grants no permission.</p>
      <Found take={asking.mutateAsync} />
      <Form
        fields={[
          {
            name: 'address',
            label: 'Address on the primary or the EVM chain',
            placeholder: 'Or write an address of the primary or the EVM chain',
            kind: 'code',
          },
        ]}
        first={{ address: '' }}
        verb="Create text to sign"
        send={({ address }) => asking.mutateAsync(address)}
      />
      {asking.data !== undefined && <Proof key={asking.data.text} challenge={asking.data} done={asking.reset} />}
    </section>
  );
}

/** Wallets found in this browser, each with a button that takes its address. */
function Found({ take }: { readonly take: (address: string) => Promise<unknown> }) {
  const found = useStore(wallets);
  const asking = useMutation({
    mutationFn: async (wallet: BrowserWallet) => {
      const [first] = await requestAddresses(wallet);
      if (first === undefined) throw new Error(`${wallet.name} shared no account. Unlock it and try again.`);
      await take(first);
    },
  });
  useSandboxWallet();
  if (found.length === 0) return null;
  return (
    <div className="wallet-buttons" role="group" aria-label="Wallets of this browser">
      {found.map((wallet) => (
        <Button key={wallet.id} disabled={asking.isPending} onClick={() => asking.mutate(wallet)}>
          {wallet.name} <small className="on-button">{CHAINS[wallet.chain]}</small>
        </Button>
      ))}
      <Refusal error={asking.error} />
    </div>
  );
}

function Proof({ challenge, done }: { readonly challenge: WalletChallenge; readonly done: () => void }) {
  const { address, text, typedData, expiresAt } = challenge;
  const [label, setLabel] = useState('');
  const link = async (signed: string) => {
    const name = label.trim();
    const linked = await api.linkWallet({ body: { address, signature: signed.trim(), ...(name === '' ? {} : { label: name }) } });
    refresh('wallets');
    notifications.show({ color: 'teal', message: `Linked: ${walletName(linked)}.` });
    done();
  };
  return (
    <>
      <Written className="narrow" label="Name (optional)" maxLength={60} value={label} write={setLabel} />
      <p>Sign this text with the wallet before {clockAndZone(expiresAt)}.</p>
      <pre className="wallet-text" tabIndex={0} role="region" aria-label="Text to sign">
        {text}
      </pre>
      <InWallet challenge={challenge} handIn={link} typedData={typedData} />
      <Form
        fields={[{ name: 'signature', label: 'Signature', placeholder: 'Or paste a signature that was made elsewhere', kind: 'code' }]}
        first={{ signature: '' }}
        verb="Link"
        send={({ signature }) => link(signature)}
      />
    </>
  );
}

interface InWalletProps {
  readonly challenge: WalletChallenge;
  readonly typedData: WalletChallenge['typedData'];
  readonly handIn: (signature: string) => Promise<unknown>;
}

function InWallet({ challenge: { address, text }, typedData, handIn }: InWalletProps) {
  if (typedData === null) return <TextSigning address={address} text={text} handIn={handIn} />;
  if (!isProof(typedData, text, address))
    return (
      <p className="refusal" role="alert">
        Not signed: the typed data differs from the text.
      </p>
    );
  return <TypedDataSigning address={address} typedData={typedData} handIn={handIn} />;
}

/** True if typed data is exactly the proof in the text: a wallet that signs a token permit would give the token away. */
function isProof(
  { domain, types, primaryType, message }: NonNullable<WalletChallenge['typedData']>,
  text: string,
  address: string,
): boolean {
  const lines = text.split('\n');
  const { wallet, statement, ...fields } = message;
  const names = (object: object) => Object.keys(object).sort().join();
  const typed = (types[primaryType] ?? []).map(({ name }) => name).sort();
  return (
    primaryType === 'WalletProof' &&
    domain.name === 'Sevengate' &&
    names(domain) === 'chainId,name,version' &&
    names(types) === 'EIP712Domain,WalletProof' &&
    typed.join() === names(message) &&
    wallet === address &&
    lines.includes(String(statement)) &&
    Object.values(fields).every((value) => lines.some((line) => line.endsWith(`: ${value}`)))
  );
}
