/** Form that lists an agent version on the marketplace with a price and a receiving wallet. */
import { api } from '../api.ts';
import { AskForm } from '../kit/form.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';

export function ListStrategy() {
  const { data: agents = [] } = useAgents();
  const [first] = agents;
  if (!useMay('trade:execute') || first === undefined) return null;
  return (
    <AskForm
      verb="List a strategy"
      title="List a strategy"
      done="The strategy is listed."
      changes={['listings']}
      fields={[
        {
          name: 'agentId',
          label: 'Agent',
          choices: agents.map(({ id, name, manifestVersion }) => ({ value: id, label: `${name}, version ${manifestVersion}` })),
        },
        { name: 'priceUsd', label: 'Price (USD)', hint: '0 is a free licence.', kind: 'number' },
        { name: 'payoutWallet', label: 'Payout wallet', hint: 'The address of a linked wallet on the primary chain.', kind: 'code' },
        { name: 'categories', label: 'Categories, separated by commas', placeholder: 'trend, crypto' },
      ]}
      first={{ agentId: first.id, priceUsd: '0', payoutWallet: '', categories: '' }}
      act={({ categories, agentId, ...terms }) => {
        const { manifestVersion } = agents.find(({ id }) => id === agentId) ?? first;
        const named = categories.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
        return api.publishListing({ body: { ...terms, agentId, manifestVersion, categories: named } });
      }}
    >
      <p className="faint">Buyers get a copy of the rules as they are now. Your positions, your capital and later versions stay yours.</p>
    </AskForm>
  );
}
