/** An agent's vault: what it holds for whom at which price of a share, and the forms that pay in and out. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { lazyChart } from './lazy-chart.js';
import { readLinkedWallets, walletName } from './linked-wallets.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { clockAndZone, dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').Vault} Vault */

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id The agent.
 * @param {AbortSignal} options.signal
 */
export function vaultPanel({ context: { me, fail, notify }, id, signal }) {
  const mayPay = me.permissions.includes('trade:execute');
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const facts = h('div', { class: 'vault-facts' });
  const depositors = h('div', {});
  const problem = createProblemNote(fail);
  const amount = h('input', {
    type: 'text',
    inputmode: 'decimal',
    autocomplete: 'off',
    size: 12,
    placeholder: '1000.00',
    disabled: !mayPay,
  });
  const title = mayPay ? null : 'Requires trade:execute';
  const deposit = h('button', { type: 'submit', class: 'primary', disabled: !mayPay, title }, 'Deposit');
  const withdraw = h('button', { type: 'button', disabled: !mayPay, title, onclick: () => void pay('withdraw', given()) }, 'Withdraw');
  const all = h('button', { type: 'button', disabled: !mayPay, title, onclick: () => void pay('withdraw', { all: true }) }, 'Withdraw all');
  const form = h('form', { class: 'vault-form', onsubmit: submit }, h('label', {}, 'Amount in USD ', amount), deposit, withdraw, all);

  const given = () => ({ amountUsd: amount.value.trim() });

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    void pay('deposit', given());
  }

  /**
   * @param {'deposit' | 'withdraw'} what
   * @param {object} body
   */
  async function pay(what, body) {
    deposit.disabled = withdraw.disabled = all.disabled = true;
    problem.clear();
    try {
      /** @type {{ readonly amountUsd: string, readonly shares: string, readonly sharePriceUsd: string }} */
      const made = await change('POST', `/v1/agents/${id}/vault/${what}`, body);
      notify(`${what === 'deposit' ? 'Deposited' : 'Withdrawn'}: ${made.amountUsd} USD, ${made.shares} shares at ${made.sharePriceUsd}.`);
      amount.value = '';
      void refresh();
    } catch (error) {
      problem.show(error);
    } finally {
      deposit.disabled = withdraw.disabled = all.disabled = !mayPay;
    }
  }

  async function refresh() {
    try {
      /** @type {[Vault, import('./wire.ts').Page<import('./wire.ts').ReserveCheck>]} */
      const [vault, { items }] = await Promise.all([read(`/v1/agents/${id}/vault`, { signal }), read('/v1/reserves?limit=1', { signal })]);
      const wallets = vault.depositors.length === 0 ? [] : await readLinkedWallets(signal);
      fill(facts, factList([...factsOf(vault), ...backingOf(items[0])]));
      fill(depositors, depositorTable(vault, wallets));
      say(
        note,
        vault.unpriced.length > 0
          ? `No live quote for ${vault.unpriced.join(', ')}: the vault’s value is unknown.`
          : `priced at ${clockAndZone(vault.pricedAt)}${vault.leftOut.length > 0 ? `, excluding dust in ${vault.leftOut.join(', ')}` : ''}`,
      );
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The vault could not be loaded.');
      fail(error);
    }
  }

  return {
    element: h(
      'div',
      { class: 'panel vault-panel' },
      h(
        'div',
        { class: 'panel-head' },
        h('h2', {}, 'Vault'),
        note,
        h('span', { class: 'space' }),
        h('button', { type: 'button', 'aria-label': 'Revalue the vault', onclick: () => void refresh() }, 'Refresh'),
      ),
      facts,
      shareChart(id, signal),
      form,
      problem.element,
      depositors,
    ),
    refresh,
  };
}

/**
 * @param {Vault} vault
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function factsOf(vault) {
  const { drawdownPct, highWaterAt } = vault;
  return [
    ['Limit at ' + plain(vault.stage), number(vault.ceilingUsd)],
    ['Allocated USD', number(vault.allocatedUsd)],
    ['Equity USD', number(vault.equityUsd)],
    ['Cash USD', number(vault.cashUsd)],
    ['Exposure USD', number(vault.exposureUsd)],
    ['Shares', number(vault.totalShares)],
    ['Share price USD', number(vault.sharePriceUsd)],
    ['High-water mark USD', h('span', { title: highWaterAt === null ? '' : dayAndTime(highWaterAt) }, number(vault.highWaterMarkUsd))],
    ['Drawdown', number(drawdownPct === null ? null : `${Number(drawdownPct.toFixed(4))} %`)],
    ['Realized USD', number(vault.realizedPnlUsd)],
    ['Unrealized USD', number(vault.unrealizedPnlUsd)],
    ['Fees USD', number(vault.feesUsd)],
  ];
}

const BACKING = { backed: 'backed', short: 'short', unknown: 'unknown' };

/**
 * Returns the backing of the cash in the organization's vaults; empty if nothing real is held.
 * @param {import('./wire.ts').ReserveCheck | undefined} check
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function backingOf(check) {
  if (check === undefined) return [];
  const lines = check.lines.map(({ asset, claimed, held }) => `${asset}: ${held ?? 'unknown'} held, ${claimed} claimed`);
  const title = [`compared at ${dayAndTime(check.at)}`, ...lines, ...check.unknown].join('\n');
  return [['Proof of reserves', h('span', { title }, BACKING[check.verdict])]];
}

/**
 * Each depositor with the wallets that are proved to be theirs.
 * @param {Vault} vault
 * @param {readonly import('./wire.ts').LinkedWallet[]} wallets
 */
function depositorTable({ depositors }, wallets) {
  return dataTable({
    caption: 'Depositors',
    empty: 'No deposits yet.',
    head: ['depositor', 'shares', 'deposited USD', 'withdrawn USD', 'value USD', 'linked wallets'],
    rows: depositors.map(({ depositor, shares, paidInUsd, paidOutUsd, valueUsd }) => [
      depositor,
      number(shares),
      number(paidInUsd),
      number(paidOutUsd),
      number(valueUsd),
      wallets
        .filter(({ provedBy }) => provedBy === depositor)
        .map(walletName)
        .join(', '),
    ]),
  });
}

/** @param {string} id @param {AbortSignal} signal */
function shareChart(id, signal) {
  const { element, end } = lazyChart({
    title: 'Share price in US dollars, with drawdown',
    address: () => `/v1/agents/${id}/vault/price-history`,
    courseOf: shareCourse,
    empty: 'No share price yet. The vault is valued every minute while it holds assets.',
    signal,
  });
  signal.addEventListener('abort', end);
  return element;
}

/** @param {import('./api.ts').VaultPriceHistory} answer @returns {import('./lazy-chart.js').Course | null} */
function shareCourse({ items }) {
  const [first] = items;
  if (first === undefined) return null;
  return {
    points: items.map(({ at, sharePriceUsd }) => ({ at: Date.parse(at), value: Number(sharePriceUsd), text: sharePriceUsd })),
    drawdown: items.map(({ at, drawdownPct }) => ({ at: Date.parse(at), value: -drawdownPct })),
    decimals: 4,
    base: Number(first.sharePriceUsd),
  };
}
