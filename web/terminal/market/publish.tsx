/** Lists one version of an agent's rules on the marketplace, at a price and with the wallet that is paid. */
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';

export function ListStrategy() {
  const { data: agents = [] } = useAgents();
  const mayList = useMay('trade:execute');
  const [chosen, setChosen] = useState('');
  const [priceUsd, setPrice] = useState('0');
  const [payoutWallet, setWallet] = useState('');
  const [categories, setCategories] = useState('');
  const agent = agents.find(({ id }) => id === chosen) ?? agents[0];
  if (!mayList || agent === undefined) return null;
  return (
    <Ask
      verb="List a strategy"
      title="List a strategy"
      done={`${agent.name} is listed.`}
      changes={['listings']}
      act={() =>
        api.publishListing({
          body: {
            agentId: agent.id,
            manifestVersion: agent.manifestVersion,
            priceUsd: priceUsd.trim(),
            payoutWallet: payoutWallet.trim(),
            categories: categories.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
          },
        })
      }
    >
      <p className="faint">Buyers get a copy of the rules as they are now. Your positions, your capital and later versions stay yours.</p>
      <NativeSelect
        size="xs"
        label="Agent"
        data={agents.map(({ id, name, manifestVersion }) => ({ value: id, label: `${name}, version ${manifestVersion}` }))}
        value={agent.id}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <TextInput
        label="Price (USD)"
        description="0 is a free licence."
        inputMode="decimal"
        value={priceUsd}
        onChange={({ currentTarget }) => setPrice(currentTarget.value)}
      />
      <TextInput
        label="Payout wallet"
        description="An address of the primary chain."
        spellCheck={false}
        autoComplete="off"
        value={payoutWallet}
        onChange={({ currentTarget }) => setWallet(currentTarget.value)}
      />
      <TextInput
        label="Categories, separated by commas"
        placeholder="trend, crypto"
        value={categories}
        onChange={({ currentTarget }) => setCategories(currentTarget.value)}
      />
    </Ask>
  );
}
