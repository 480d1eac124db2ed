/** Page of one listing: evidence per gate, price, rules for licence holders, purchase and import. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { gateCheckWords, plain } from '../../words.js';
import { type Rules, rulesSentences } from '../agents/rules.ts';
import { api, readAll, refresh, useRead, type Checkout, type ListingDetail } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Course, type Drawn, listPoints } from '../kit/course.tsx';
import { Card, FigureList, Loaded, Trail, renderItems, renderTags } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Change } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { goTo } from '../place.ts';
import { Signing } from '../wallet/signing.tsx';
import { objectionToCheckout } from './checkout.ts';
import { deflatedSharpe, Gates, readMetrics, priceWords } from './evidence.tsx';

const LOOK_MS = 1_000;

export function ListingPage({ id }: { readonly id: string }) {
  const listing = useRead(['listing', id], (call) => api.getListing({ id }, call));
  return (
    <div className="page">
      <Trail to="marketplace" name="Marketplace" />
      <Loaded query={listing}>{(data) => <Shown listing={data} />}</Loaded>
    </div>
  );
}

function Shown({ listing }: { readonly listing: ListingDetail }) {
  const { name, description, state, categories, rules } = listing;
  return (
    <>
      <header className="agent-head">
        <div className="agent-name">
          <h1>{name}</h1>
          {state === 'unlisted' && <span className="tag">no longer on sale</span>}
          {renderTags(categories)}
          <p className="faint">{description}</p>
        </div>
        <Figures listing={listing} />
      </header>
      <div className="take-sight">
        <section className="card claims stack" aria-label="Evidence">
          <h2>Evidence at publication</h2>
          <Gates passed={listing.evidence.gatesPassed} />
          <Course
            course={drawCourse(listing)}
            label="Return of the backtest in percent, and its drawdown below"
            empty="No backtest is on record."
          />
          <Evidence listing={listing} />
        </section>
        <div className="stack">
          <Buy listing={listing} />
          <Card title="Rules">
            <ListingRules listing={listing} />
            {rules !== null && (
              <details>
                <summary>The manifest</summary>
                <pre className="wallet-text" tabIndex={0} role="region" aria-label="Manifest">
                  {JSON.stringify(rules, null, 2)}
                </pre>
              </details>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

/** Backtest return, and the drawdown below it, in percent. */
function drawCourse({ evidence: { curve } }: ListingDetail): Drawn {
  const points = listPoints(curve, ({ returnPct }) => returnPct);
  let highest = 0;
  const falls = points.map(({ at, value }) => {
    highest = Math.max(highest, value);
    return { at, value: ((100 + value) / (100 + highest) - 1) * 100 };
  });
  return { series: [{ title: 'return %', ink: '--accent', points }], lower: { title: 'drawdown %', points: falls }, decimals: 1 };
}

function Figures({ listing }: { readonly listing: ListingDetail }) {
  const { sharpe = null, maxDrawdownPct = null, returnPct = null } = readMetrics(listing);
  const honest = deflatedSharpe(listing);
  const { evidence } = listing;
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    ['Return', <Change key="return" percent={returnPct} />],
    ['Drawdown', maxDrawdownPct === null ? '–' : `${maxDrawdownPct.toFixed(2)} %`],
    ['Sharpe', sharpe?.toFixed(2) ?? '–'],
    ['Not luck', honest === null ? '–' : `${(honest * 100).toFixed(1)} %`],
    ['Versions backtested', `${evidence.versionsTried} of ${evidence.versions}`],
    ['Days on paper', evidence.paperDays.toFixed(0)],
  ];
  return <FigureList lines={lines} />;
}

function Evidence({ listing: { evidence } }: { readonly listing: ListingDetail }) {
  if (evidence.gates.length === 0) return <p className="warn">This version has no evidence on record.</p>;
  return (
    <Table
      label="Gates"
      rows={evidence.gates}
      keyOf={({ kind }) => kind}
      columns={[
        { title: 'Gate', text: ({ kind }) => plain(kind) },
        {
          title: 'Verdict',
          isText: true,
          cell: ({ passed, simulated }) => (
            <span className={passed ? 'up' : 'down'}>
              {passed ? 'passed' : 'failed'}
              {simulated === true ? ' (simulated)' : ''}
            </span>
          ),
        },
        { title: 'Assessed', at: ({ at }) => at },
        {
          title: 'Checks',
          isText: true,
          cell: ({ checks }) => <span className="long faint">{checks.map(gateCheckWords).join('; ')}</span>,
        },
      ]}
    />
  );
}

/** Shape of the rules; licence holders see the rules in sentences. */
const ListingRules = ({ listing: { shape, rules, manifestHash } }: { readonly listing: ListingDetail }) => (
  <>
    <p>
      Buys by {shape.entry.map(plain).join(', ') || 'nothing'}, sells by {shape.exit.map(plain).join(', ') || 'its stop and its target'}.
    </p>
    <p className="faint">
      {shape.instruments} instruments of {shape.kinds.map(plain).join(', ')}, {shape.timeframe} bars, manifest{' '}
      <Address address={manifestHash} />
    </p>
    {rules === null ? (
      <p className="faint">A licence shows the rules with all their numbers.</p>
    ) : (
      <ul className="dotted">{renderItems(rulesSentences(rules as Rules))}</ul>
    )}
  </>
);

function Buy({ listing }: { readonly listing: ListingDetail }) {
  const { id, own, priceUsd, state, payoutWallet } = listing;
  const licences = useRead(['licences', 'all'], (call) => readAll(api.listLicences.items({ limit: 200 }, call)));
  const mayTrade = useMay('trade:execute');
  const isFree = Number(priceUsd) === 0;
  const changed = () => refresh('licences', 'listing', 'checkouts');
  const taking = useMutation({ mutationFn: () => api.beginCheckout({ id, body: {} }), onSettled: changed });
  if (own)
    return (
      <section className="card claims" aria-label="Licence">
        This is your own listing. <a href="#/selling">Change its price</a>
      </section>
    );
  // A licence that is not read yet would be paid for again.
  if (licences.data === undefined)
    return (
      <section className="card claims" aria-label="Licence">
        <Loaded query={licences} />
      </section>
    );
  const isLicensed = licences.data.some(({ listingId }) => listingId === id);
  return (
    <section className="card claims stack" aria-label="Licence">
      <div className="page-head">
        <h2>{isLicensed ? 'You hold a licence' : 'Licence'}</h2>
        <span className="space" />
        <strong className="num">{priceWords(priceUsd)}</strong>
      </div>
      {!mayTrade && <p className="faint">Buying and importing require the permission trade:execute.</p>}
      {mayTrade && isLicensed && <Import id={id} />}
      {mayTrade && !isLicensed && state === 'listed' && isFree && (
        <>
          <Button className="narrow" loading={taking.isPending} onClick={() => taking.mutate()}>
            Get the free licence
          </Button>
          <Refusal error={taking.error} />
        </>
      )}
      {mayTrade && !isLicensed && state === 'listed' && !isFree && (
        <>
          <p>
            Your wallet pays {priceUsd} USDC to the creator’s wallet <Address address={payoutWallet} />. The creator receives all of it.
          </p>
          <Signing prepare={([buyer]) => payment(listing, buyer, changed)} />
        </>
      )}
    </section>
  );
}

function Import({ id }: { readonly id: string }) {
  const bringing = useMutation({
    mutationFn: () => api.importListing({ id }),
    onSuccess: (agent) => {
      notifications.show({ color: 'teal', message: `${agent.name} was imported as a draft.` });
      refresh('agents', 'licences');
      goTo(`agents/${agent.id}`);
    },
  });
  return (
    <>
      <Button className="narrow" loading={bringing.isPending} onClick={() => bringing.mutate()}>
        Import as a new agent
      </Button>
      <Refusal error={bringing.error} />
    </>
  );
}

/** Prepares the licence payment from the wallet's first account. */
async function payment(listing: ListingDetail, buyer: string | undefined, changed: () => void) {
  if (buyer === undefined) throw new Error('The wallet shared no account.');
  const checkout = await openCheckout(listing.id, buyer);
  const objection = objectionToCheckout(listing, checkout);
  if (objection !== null) {
    changed();
    throw new Error(objection);
  }
  if (checkout.transaction === null) throw new Error(`Nothing to sign: the checkout is ${plain(checkout.state)}.`);
  const handIn = async ([signedTransaction = '']: readonly string[]) => {
    await api.settleCheckout({ id: checkout.id, body: { signedTransaction } });
    notifications.show({ message: 'Paid. The licence is issued when the payment is final on chain.' });
    try {
      await licensed(checkout.id);
    } finally {
      changed();
    }
  };
  return { unsigned: [checkout.transaction], signer: buyer, handIn };
}

/** Returns the open checkout of the buyer, or starts one. A listing has at most one open checkout. */
async function openCheckout(listingId: string, buyer: string): Promise<Checkout> {
  const { items } = await api.listCheckouts({ limit: 100 });
  const waiting = items.find((one) => one.listingId === listingId && one.state === 'prepared' && one.buyer === buyer);
  return waiting ?? (await api.beginCheckout({ id: listingId, body: { buyer } }));
}

/** Waits until the payment is final. @throws Error with the reason if it ends in any other way. */
async function licensed(id: string): Promise<void> {
  for (;;) {
    // Polls one after the other.
    // oxlint-disable-next-line no-await-in-loop
    const { state, reason, detail } = await api.getCheckout({ id });
    if (state === 'licensed') return;
    if (state === 'expired' || state === 'failed') throw new Error(`The payment ${plain(state)}: ${detail ?? plain(reason ?? 'unknown')}`);
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
