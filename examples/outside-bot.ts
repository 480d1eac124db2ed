/** Bot of your own: reads its agent's context, proposes one trade, and prints the agent's decision. Arguments: agent id, token file. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../clients/typescript/src/index.ts';
import { localService } from '../clients/typescript/src/local.ts';

const [id = '', tokenFile = ''] = process.argv.slice(2);
const api = createClient({ baseUrl: localService().baseUrl, token: readFileSync(tokenFile, 'utf8').trim() });

/** Your strategy goes here: a side and a size, or null to hold. */
function decide(price: number, held: string | undefined) {
  return held === undefined ? ({ side: 'buy', notionalUsd: '100', reason: `long at ${price}` } as const) : null;
}

let proposed: { readonly id: string } | null = null;
while (proposed === null) {
  const { cut, book, universe, manifestHash } = await api.getOutsideContext({ id });
  const instrument = universe[0] as string;
  const ask = cut?.observations.find((one) => one.instrument === instrument)?.quote?.ask;
  const held = book.positions.find((one) => one.instrument === instrument)?.quantity;
  const trade = cut === null || ask === undefined ? null : decide(Number(ask), held);
  if (trade !== null && cut !== null) {
    // The slot identifies the proposal: sending it twice has one effect.
    const body = { ...trade, instrument, inputs: { ask }, clientId: `slot-${Date.parse(cut.slot)}`, manifestHash };
    proposed = await api.proposeTrade({ id, body });
  } else await setTimeout(1_000);
}

let seen = await api.getOutsideProposal({ id, proposalId: proposed.id });
for (; seen.state === 'pending'; seen = await api.getOutsideProposal({ id, proposalId: proposed.id })) await setTimeout(1_000);
console.log(`${seen.side} ${seen.instrument}: ${seen.state}, decision ${seen.decision?.disposition ?? 'none'}`);
