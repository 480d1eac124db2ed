/** Claims of a launch's creator and partner, one kind at a time, signed by the wallet that receives the payment. */
import { Select } from '@mantine/core';
import { useState } from 'react';
import { plain, priceText } from '../../words.js';
import { api, refresh, useRead, type LaunchClaim } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { useMay } from '../member.ts';
import { Signing } from '../wallet/signing.tsx';
import { Card, FigureList } from '../kit/lists.tsx';

const KINDS = [
  { value: 'fees', label: 'trading fees' },
  { value: 'surplus', label: 'surplus above the threshold' },
  { value: 'migration_fee', label: 'migration fee' },
  { value: 'unlocked', label: 'unlocked tokens' },
];
const CLAIMERS = ['creator', 'partner'];
const ENDED = ['finalized', 'expired', 'refused', 'failed'];
const LOOK_MS = 1_000;

export function Claims({ launchId }: { readonly launchId: string }) {
  const [kind, setKind] = useState<LaunchClaim['kind']>('fees');
  const [as, setAs] = useState<LaunchClaim['as']>('creator');
  const [claim, setClaim] = useState<LaunchClaim | null>(null);
  const mayClaim = useMay('trade:execute');
  const prepare = async () => {
    const made = await api.prepareLaunchClaim({ id: launchId, body: { kind, as } });
    setClaim(made);
    const handIn = async ([signedTransaction = '']: readonly string[]) => {
      await api.submitLaunchClaim({ id: launchId, claimId: made.id, body: { signedTransaction } });
      refresh('launch-claim');
    };
    return { unsigned: [made.transaction], signer: made.wallet, handIn };
  };
  return (
    <Card title="Claims">
      {mayClaim ? (
        <>
          <div className="inline-form bottom">
            <Select label="Claim" data={KINDS} value={kind} onChange={(value) => setKind(value as typeof kind)} />
            <Select label="Paid to the" data={CLAIMERS} value={as} onChange={(value) => setAs(value as typeof as)} />
          </div>
          <Signing key={`${kind} ${as}`} prepare={prepare} />
          {claim !== null && <Claim key={claim.id} first={claim} />}
        </>
      ) : (
        <p className="faint">Claiming requires the permission trade:execute.</p>
      )}
    </Card>
  );
}

function Claim({ first }: { readonly first: LaunchClaim }) {
  const { data: claim = first } = useRead(
    ['launch-claim', first.id],
    (call) => api.getLaunchClaim({ id: first.launchId, claimId: first.id }, call),
    { refetchInterval: ({ state: { data } }) => (data !== undefined && ENDED.includes(data.state) ? false : LOOK_MS) },
  );
  const { state, reason, detail, wallet, quoteAmount, baseAmount } = claim;
  return (
    <>
      <p role="status">{reason === null ? `The claim is ${plain(state)}.` : `The claim is ${plain(state)}: ${detail ?? plain(reason)}`}</p>
      <FigureList
        lines={[
          ['Signs and receives', <Address address={wallet} />],
          ['Quote amount (raw units)', priceText(quoteAmount)],
          ['Token amount (raw units)', priceText(baseAmount)],
        ]}
      />
    </>
  );
}
