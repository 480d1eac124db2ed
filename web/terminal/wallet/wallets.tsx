/** Wallets with verified ownership: linking, names, and unlinking. */
import { useState } from 'react';
import { api, type LinkedWallet } from '../api.ts';
import { shortAddress } from '../kit/address.tsx';
import { Ask } from '../kit/ask.tsx';
import { Written } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { CHAINS, LinkWallet } from './linking.tsx';
import { SandboxWalletCard } from './sandbox-wallet.tsx';

export const Wallets = () => (
  <div className="page">
    <div className="page-head">
      <h1>Wallets</h1>
    </div>
    <p className="faint">
      A linked wallet is proved to be yours. It signs swaps, launches and licences itself; linking grants no permission.
    </p>
    <List
      list={useList(['wallets', 'all'], api.listWallets)}
      label="Linked wallets"
      empty="No wallet is linked. Link one below to sign swaps, launches and purchases with it."
      keyOf={({ id }) => id}
      columns={[
        { title: 'Wallet', text: (wallet) => nameWallet(wallet) },
        { title: 'Chain', isText: true, text: ({ chain }) => CHAINS[chain] },
        { title: 'Address', isText: true, address: ({ address }) => address },
        { title: 'Linked by', isText: true, text: ({ provedBy }) => provedBy },
        { title: 'Linked', ago: ({ provedAt }) => provedAt },
        { title: 'Actions', buttons: (wallet) => <Buttons wallet={wallet} /> },
      ]}
    />
    <SandboxWalletCard />
    <LinkWallet />
  </div>
);

const nameWallet = ({ label, address }: LinkedWallet): string => label ?? shortAddress(address);

function Buttons({ wallet }: { readonly wallet: LinkedWallet }) {
  const [label, setLabel] = useState(wallet.label ?? '');
  const name = nameWallet(wallet);
  const { id } = wallet;
  return (
    <div className="row-buttons">
      {wallet.chain === 'evmvenue' && <a href={`#/public-wallets/${wallet.address}`}>Holdings</a>}
      <Ask
        verb="Rename"
        name={`Rename ${name}`}
        title={`Rename ${name}`}
        done="Wallet renamed."
        changes={['wallets']}
        begin={() => setLabel(wallet.label ?? '')}
        act={() => api.renameWallet({ id, body: { label: label.trim() === '' ? null : label.trim() } })}
      >
        <Written
          label="Name"
          description="Leave it empty to show the address."
          maxLength={60}
          data-autofocus
          value={label}
          write={setLabel}
        />
      </Ask>
      <Ask
        verb="Unlink"
        name={`Unlink ${name}`}
        title={`Unlink ${name}?`}
        isDangerous
        done={`${name} unlinked.`}
        changes={['wallets']}
        act={() => api.unlinkWallet({ id })}
      >
        <p>New swaps, launches and purchases cannot name this wallet until it is linked again. Its holdings do not move.</p>
      </Ask>
    </div>
  );
}
