/** Vault of an agent: depositors, share price and its history, and the deposit and withdrawal forms. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { clockAndZone, dayAndTime, plain } from '../../words.js';
import { api, hadNoEffect, refresh, useRead, type ReserveCheck, type Vault as Answer } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Course, type Drawn, listPoints } from '../kit/course.tsx';
import { isAmount } from '../kit/decimal.ts';
import { useOnce, Written } from '../kit/form.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Gain, Money, moneyText, Price } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { walletName } from '../wallet/linking.tsx';
import { useWallets } from '../organization.ts';
import { submits } from '../kit/browser.ts';

const CHANGES = ['vault', 'vaults', 'books', 'portfolio', 'performance'];

export function Vault({ agentId: id }: { readonly agentId: string }) {
  const vault = useRead(['vault', id], (call) => api.getVault({ id }, call));
  const mayPay = useMay('trade:execute');
  return (
    <div className="padded stack">
      <Loaded query={vault}>
        {(data) => (
          <>
            <div className="page-head">
              <span className="faint">{pricedWords(data)}</span>
              <Button size="compact-xs" variant="default" loading={vault.isFetching} onClick={() => void vault.refetch()}>
                Revalue
              </Button>
            </div>
            <Figures vault={data} />
            <SharePrice id={id} />
            {mayPay && <Pay id={id} />}
            <Depositors vault={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function pricedWords({ unpriced, leftOut, pricedAt }: Answer): string {
  if (unpriced.length > 0) return `No live quote for ${unpriced.join(', ')}: the value of the vault is unknown.`;
  return `Priced at ${clockAndZone(pricedAt)}${leftOut.length > 0 ? `, without dust in ${leftOut.join(', ')}` : ''}.`;
}

function Figures({ vault }: { readonly vault: Answer }) {
  const { data: check } = useRead(['reserves', 'last'], async (call) => (await api.listReserves({ limit: 1 }, call)).items[0] ?? null);
  const { drawdownPct, highWaterAt } = vault;
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    [`Limit at ${plain(vault.stage)}`, <Money key="limit" usd={vault.ceilingUsd} />],
    ['Allocated', <Money key="allocated" usd={vault.allocatedUsd} />],
    ['Equity', <Money key="equity" usd={vault.equityUsd} />],
    ['Cash', <Money key="cash" usd={vault.cashUsd} />],
    ['Exposure', <Money key="exposure" usd={vault.exposureUsd} />],
    ['Shares', vault.totalShares],
    ['Price of a share', <Price key="share" price={vault.sharePriceUsd} />],
    [
      'High-water mark',
      <span key="high" title={highWaterAt === null ? undefined : dayAndTime(highWaterAt)}>
        <Price price={vault.highWaterMarkUsd} />
      </span>,
    ],
    ['Drawdown', drawdownPct === null ? '–' : `${drawdownPct.toFixed(2)} %`],
    ['Realized', <Gain key="realized" usd={vault.realizedPnlUsd} />],
    ['Unrealized', <Gain key="unrealized" usd={vault.unrealizedPnlUsd} />],
    ['Fees', <Money key="fees" usd={vault.feesUsd} />],
    ...(check == null ? [] : [['Proof of reserves', <Backing key="backing" check={check} />] as const]),
  ];
  return <FigureList lines={lines} />;
}

/** Backing of the cash in the organization's vaults. */
function Backing({ check: { at, verdict, lines, unknown } }: { readonly check: ReserveCheck }) {
  const words = lines.map(({ asset, claimed, held }) => `${asset}: ${held ?? 'unknown'} held, ${claimed} claimed`);
  return (
    <span className={verdict === 'backed' ? 'up' : 'down'} title={[`compared at ${dayAndTime(at)}`, ...words, ...unknown].join('\n')}>
      {verdict}
    </span>
  );
}

function SharePrice({ id }: { readonly id: string }) {
  const { data } = useRead(['vault', id, 'prices'], (call) => api.getVaultPriceHistory({ id }, call));
  const course = useMemo<Drawn>(() => {
    const items = data?.items ?? [];
    return {
      series: [{ title: 'share', ink: '--accent', points: listPoints(items, ({ sharePriceUsd }) => sharePriceUsd) }],
      lower: { title: 'drawdown %', points: listPoints(items, ({ drawdownPct }) => -drawdownPct) },
      levels: items[0] === undefined ? [] : [{ title: 'first', price: Number(items[0].sharePriceUsd) }],
      decimals: 4,
    };
  }, [data]);
  return (
    <Course
      course={course}
      label="Price of a share in dollars, with drawdown"
      empty="No share price yet. The vault is valued every minute while it holds assets."
    />
  );
}

function Pay({ id }: { readonly id: string }) {
  const [amountUsd, setAmount] = useState('');
  const once = useOnce();
  const paying = useMutation({
    mutationFn: (what: 'deposit' | 'withdraw') => {
      const more = { idempotencyKey: once.keyOf([what, amountUsd]) };
      return what === 'deposit'
        ? api.depositIntoVault({ id, body: { amountUsd } }, more)
        : api.withdrawFromVault({ id, body: { amountUsd } }, more);
    },
    onError: (error) => {
      if (hadNoEffect(error)) once.over();
    },
    onSuccess: ({ kind, amountUsd: paid, shares, sharePriceUsd }) => {
      once.over();
      setAmount('');
      refresh(...CHANGES);
      const message = `${kind === 'deposit' ? 'Deposited' : 'Withdrawn'}: ${moneyText(paid)}, ${shares} shares at ${sharePriceUsd}.`;
      notifications.show({ color: 'teal', message });
    },
  });
  return (
    <>
      <form className="inline-form bottom" onSubmit={submits(() => paying.mutate('deposit'))}>
        <Written label="Amount (USD)" placeholder="1000" inputMode="decimal" value={amountUsd} write={(text) => setAmount(text.trim())} />
        <Button type="submit" loading={paying.isPending} disabled={!isAmount(amountUsd)}>
          Deposit
        </Button>
        <Button variant="default" disabled={paying.isPending || !isAmount(amountUsd)} onClick={() => paying.mutate('withdraw')}>
          Withdraw
        </Button>
        <Ask
          verb="Withdraw all"
          title="Withdraw all of your shares?"
          done="Withdrawn."
          changes={CHANGES}
          act={() => api.withdrawFromVault({ id, body: { all: true } })}
        >
          <p>All of your shares are paid out at the present share price.</p>
        </Ask>
      </form>
      <Refusal error={paying.error} />
    </>
  );
}

/** Depositors with their verified wallets. */
function Depositors({ vault: { depositors } }: { readonly vault: Answer }) {
  const { data: wallets = [] } = useWallets();
  const ownedBy = (depositor: string): string =>
    wallets
      .filter(({ provedBy }) => provedBy === depositor)
      .map(walletName)
      .join(', ');
  return (
    <Table
      label="Depositors"
      empty="No deposits yet."
      rows={depositors}
      keyOf={({ depositor }) => depositor}
      columns={[
        { title: 'Depositor', text: ({ depositor }) => depositor },
        { title: 'Shares', text: ({ shares }) => shares },
        { title: 'Deposited', money: ({ paidInUsd }) => paidInUsd },
        { title: 'Withdrawn', money: ({ paidOutUsd }) => paidOutUsd },
        { title: 'Value', isFigure: true, money: ({ valueUsd }) => valueUsd },
        { title: 'Linked wallets', isText: true, text: ({ depositor }) => ownedBy(depositor) },
      ]}
    />
  );
}
