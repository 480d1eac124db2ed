/** Quote of a transfer between the chains: request, costs, alternatives, and the signing wallet. */
import { Autocomplete, Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { clockAndZone, plain, priceText } from '../../words.js';
import { api, refresh, type BridgeTransfer, type LinkedWallet } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { isAmount } from '../kit/decimal.ts';
import { Form, Written } from '../kit/form.tsx';
import { Money } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { feed } from '../market.ts';
import { goTo, page } from '../place.ts';
import { CHAINS, walletName } from '../wallet/linking.tsx';
import { CallSending, Signing } from '../wallet/signing.tsx';
import { Card, FigureList, renderItems } from '../kit/lists.tsx';
import { useWallets } from '../organization.ts';
import { submits } from '../kit/browser.ts';

type Chain = LinkedWallet['chain'];
const other = (chain: Chain): Chain => (chain === 'spotchain' ? 'evmvenue' : 'spotchain');

interface Wish {
  readonly from: Chain;
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly preference: 'received' | 'speed';
}

const FIRST: Wish = { from: 'spotchain', amount: '', sender: '', recipient: '', preference: 'received' };

export function QuoteForm() {
  const [wish, setWish] = useState(FIRST);
  const quoting = useMutation({
    mutationFn: (asked: Wish) => api.quoteBridge({ body: { ...asked, to: other(asked.from), token: 'USDC' } }),
  });
  // A quote, and a refusal, belong to the request as it was sent: a changed one asks again before anything is signed.
  const isCurrent = quoting.variables === wish;
  const [quote, error] = isCurrent ? [quoting.data, quoting.error] : [undefined, null];
  const ask = submits(() => quoting.mutate(wish));
  return (
    <Card title="New transfer">
      <form className="field-pairs" onSubmit={ask}>
        <Fields wish={wish} write={(by) => setWish((before) => ({ ...before, ...by }))} />
        <Button
          type="submit"
          className="at-bottom"
          loading={quoting.isPending}
          disabled={!isAmount(wish.amount) || wish.sender === '' || wish.recipient === ''}
        >
          Quote
        </Button>
      </form>
      <p className="faint" role="status">
        {quoting.isPending && 'Asking all providers…'}
        {quote !== undefined && `Valid until ${clockAndZone(quote.expiresAt)}. Nothing is sent before you sign.`}
      </p>
      <Refusal error={error} />
      {quote !== undefined && <Quoted key={quote.id} quote={quote} done={quoting.reset} />}
    </Card>
  );
}

interface FieldsProps {
  readonly wish: Wish;
  readonly write: (by: Partial<Wish>) => void;
}

const Fields = ({ wish: { from, amount, sender, recipient, preference }, write }: FieldsProps) => (
  <>
    <Select
      label="From"
      data={Object.entries(CHAINS).map(([value, label]) => ({ value, label }))}
      value={from}
      onChange={(chain) => write({ from: chain as Chain, sender: recipient, recipient: sender })}
    />
    <Written label="Amount (USDC)" inputMode="decimal" value={amount} write={(text) => write({ amount: text.trim() })} />
    <Wallet label={`Sender on the ${CHAINS[from]}`} chain={from} address={sender} write={(address) => write({ sender: address })} />
    <Wallet
      label={`Recipient on the ${CHAINS[other(from)]}`}
      chain={other(from)}
      address={recipient}
      write={(address) => write({ recipient: address })}
    />
    <Select
      label="Choose by"
      data={[
        { value: 'received', label: 'amount received' },
        { value: 'speed', label: 'speed' },
      ]}
      value={preference}
      onChange={(value) => write({ preference: value === 'speed' ? 'speed' : 'received' })}
    />
  </>
);

interface WalletProps {
  readonly label: string;
  readonly chain: Chain;
  readonly address: string;
  readonly write: (address: string) => void;
}

/** Field for an address, with the linked wallets of the chain to choose from. */
function Wallet({ label, chain, address, write }: WalletProps) {
  const { data = [] } = useWallets();
  const own = data.filter((wallet) => wallet.chain === chain);
  const named = own.find((wallet) => wallet.address === address);
  return (
    <Autocomplete
      label={label}
      {...(named === undefined ? {} : { description: walletName(named) })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={own.map((wallet) => wallet.address)}
      renderOption={({ option: { value } }) => {
        const wallet = own.find((one) => one.address === value);
        return wallet === undefined ? value : walletName(wallet);
      }}
      spellCheck={false}
      autoComplete="off"
      value={address}
      onChange={(text) => write(text.trim())}
    />
  );
}

function Quoted({ quote, done }: { readonly quote: BridgeTransfer; readonly done: () => void }) {
  const {
    amount,
    token,
    recipient,
    provider,
    providerKind,
    minimumReceived,
    expectedReceived,
    estimatedSeconds,
    fees,
    route,
    explanation,
    alternatives,
  } = quote;
  const mayTrade = useMay('trade:execute');
  return (
    <div className="stack quoted">
      <FigureList
        lines={[
          [
            'You send',
            <>
              {priceText(amount)} {token}
            </>,
          ],
          ['To', <Address address={recipient} />],
          ['You receive', <>{priceText(expectedReceived)} USDC</>],
          ['At least', <>{priceText(minimumReceived)} USDC</>],
          ['In about', <>{estimatedSeconds} s</>],
          [
            'By',
            <>
              {provider}, {plain(providerKind)}
            </>,
          ],
          ...fees.map(
            ({ name, amountUsd, included }) =>
              [
                name,
                <>
                  <Money usd={amountUsd} /> <small>{included ? 'deducted' : 'added'}</small>
                </>,
              ] as const,
          ),
        ]}
      />
      <p>{explanation}</p>
      <ol className="route">{renderItems(route)}</ol>
      {alternatives.map((one) => (
        <p key={one.provider} className="faint">
          Instead by {one.provider}: at least {priceText(one.minimumReceived)} USDC in about {one.estimatedSeconds} s, for{' '}
          <Money usd={one.costUsd} />
        </p>
      ))}
      {mayTrade ? <Submission quote={quote} done={done} /> : <p className="faint">Submitting requires the permission trade:execute.</p>}
    </div>
  );
}

type Signed = { readonly hash: string } | { readonly signedTransaction: string };
/** True for a transaction hash of either chain. Signed bytes are longer. */
const isHash = (given: string): boolean => /^0x[0-9a-f]{64}$/.test(given) || /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(given);

function Submission({ quote: { id, transaction, expiresAt }, done }: { readonly quote: BridgeTransfer; readonly done: () => void }) {
  const handIn = async (signed: Signed) => {
    await api.submitBridge({ body: { quoteId: id, ...signed } });
    refresh('transfers');
    done();
    if (page.get() === 'transfers') goTo(`transfers/${id}`);
  };
  const assertCurrent = () => {
    if (feed.now() >= Date.parse(expiresAt)) throw new Error('The quote has expired, and nothing was sent. Ask for another one.');
  };
  return (
    <>
      {transaction.kind === 'evm' ? (
        <CallSending transaction={transaction} assertCurrent={assertCurrent} handIn={(hash) => handIn({ hash })} />
      ) : (
        <Signing
          prepare={async () => {
            assertCurrent();
            return {
              unsigned: [transaction.unsigned],
              signer: transaction.wallet,
              handIn: ([signedTransaction = '']) => handIn({ signedTransaction }),
            };
          }}
        />
      )}
      <details>
        <summary>Sign it elsewhere</summary>
        <pre className="wallet-text" tabIndex={0} role="region" aria-label="Unsigned transaction">
          {transaction.kind === 'evm' ? JSON.stringify(transaction, null, 2) : transaction.unsigned}
        </pre>
        <Form
          fields={[{ name: 'signed', label: 'Signed transaction, or its hash if the wallet sent it', kind: 'code' }]}
          first={{ signed: '' }}
          verb="Submit"
          send={({ signed }) => handIn(isHash(signed) ? { hash: signed } : { signedTransaction: signed })}
        />
      </details>
    </>
  );
}
