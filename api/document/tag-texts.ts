/** Introductions of the API document, one per tag: purpose, order of the calls, and what can go wrong. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

export const TAGS: readonly Tag[] = [
  {
    name: 'operation',
    description:
      'Health, readiness, metrics and the API documents. Probes call `/healthz` for the process and `/readyz` before they send traffic. `/readyz` answers 503 and names the part that does not work.',
  },
  {
    name: 'identity',
    description:
      'Sign-in with a token of your identity provider. Programs send `Authorization: Bearer`. Browsers exchange the token for a cookie with `POST /v1/session` and must send an allowed Origin with unsafe requests. `GET /v1/me` lists your permissions. An expired token answers 401 `token_expired`.',
  },
  {
    name: 'members',
    description:
      'Members, roles and invitations of your organization. Invite with `POST /v1/invitations` and send the code over a channel that you trust: it is shown once. Permission changes apply to the next request of the member. You cannot change your own permissions.',
  },
  {
    name: 'market',
    description:
      'Quotes, order books, candles, perpetuals, prediction markets and the instrument catalog. Look up an instrument in `GET /v1/catalog`, then read its quote or subscribe to a feed. Every price has a `quality`: only `live` may become an order.',
  },
  {
    name: 'intelligence',
    description:
      'Market events, social posts, macro series and the value locked on chains, with their sources. An event is `confirmed` by a primary source or two independent ones; posts never confirm anything. A source that is down makes a value null, not zero.',
  },
  {
    name: 'rankings',
    description:
      'Ranked tokenized equities and pre-IPO markets, each from one observed cut, and stock assessments. Rows that cannot be ranked stay in the list with their reasons. Page with the cursor to stay on the same cut.',
  },
  {
    name: 'agents',
    description:
      'Create an agent from a manifest, preview and backtest it, promote it stage by stage, and approve its proposals. `GET /v1/agents/{id}/gates` says what is missing for the next stage and why the agent does not trade. Promotion answers 409 `gate_failed` with every condition. `POST /v1/agents/emergency-halt` pauses all agents.',
  },
  {
    name: 'agent-orders',
    description:
      'Trade proposals of agents. At autonomy `confirm` a proposal waits for approval until it expires. Approving runs the risk check again on present prices and can end in `blocked_by_risk` with every limit and the smallest change that would pass.',
  },
  {
    name: 'actors',
    description:
      'State and history of every durable actor: agents, Takes, proposals, orders, transfers and launches. Read its steps, open one step to see guards and effects, and try other events with what-if, which stores nothing. `state_conflict` means that a newer state chart no longer takes the stored step.',
  },
  {
    name: 'runtime',
    description:
      'Pending and abandoned activities, timers, incidents, interventions and background work. Find the actor first, then retry an activity or release a quarantine under **actors**. Interventions require a reason and are recorded.',
  },
  {
    name: 'books',
    description:
      'Positions, fills, P&L and equity curves, per book and for the whole portfolio. Paper and real money are never added up. A missing price makes the dependent numbers null.',
  },
  {
    name: 'risk',
    description:
      'The risk mandate of your organization. Every order must meet it and the limits of its manifest. Read it, change the fields and send all of them back: a missing field is refused. Proposals assessed under the earlier mandate are not executed any more.',
  },
  {
    name: 'vaults',
    description:
      'Deposits and withdrawals of an agent’s live capital, as shares. A vault accepts deposits from stage `limited_live`, up to its limit. Withdrawals are paid from cash. Deposits are refused while holdings do not cover the claims (`GET /v1/reserves`).',
  },
  {
    name: 'market-orders',
    description:
      'Manual orders on the spot exchange, on paper or live. They pass the same pre-trade risk function as orders of agents. Live orders require `SVC_LIVE_SPOTEXCHANGE_ENABLED`. Poll the order for its outcome: `unknown` means that the exchange has not reported it yet.',
  },
  {
    name: 'prediction-orders',
    description:
      'Manual orders on prediction markets. On paper the order fills at once. On chain: prepare, sign the transaction in your wallet, execute, then poll. An executed order is open, not filled. A changed transaction is refused with `signed_bytes_differ`.',
  },
  {
    name: 'spotchain',
    description:
      'Swaps on the primary chain, signed by your own wallet. Quote, prepare, sign exactly the prepared bytes, execute, then poll until `finalized`. A prepared swap expires with its blockhash after about a minute. Changed bytes are refused with `signed_bytes_differ` and nothing is sent.',
  },
  {
    name: 'wallets',
    description:
      'Linked wallets and their balances. Request the text, sign it with the wallet within ten minutes, and send the signature. A link proves ownership and grants no permission. A late signature is refused with `challenge_expired`.',
  },
  {
    name: 'delegations',
    description:
      'Permission for an agent or a Take to trade from a wallet without a signature per trade. Request the text, have the owner sign it, and send it back with the same fields. A delegation has a limit per transaction and an expiry. Revoking it takes effect at once.',
  },
  {
    name: 'bridge',
    description:
      'Stablecoin transfers between the primary chain and the EVM chain. Quote, sign the source transaction, submit it or its hash, and follow the status. The provider, the source chain and the destination chain are reported apart; `unknown` means that they contradict each other.',
  },
  {
    name: 'takes',
    description:
      'One-off trading policies written as a sentence. Compile a thesis, check how each phrase was read, confirm what is open, and arm it on paper or live. An ambiguous thesis is refused with questions (`thesis_ambiguous`).',
  },
  {
    name: 'arbitrage',
    description:
      'Spread between a token, its reference share and the perpetual, and policies that trade it. Read the basis with its costs first, then arm a policy. A leg without a live price gives no edge.',
  },
  {
    name: 'launches',
    description:
      'Token launches on a bonding curve or with the external launcher, and claims of their fees. Preview, prepare, sign with the creator’s wallet within a minute, submit, then follow the launch. Expired transactions must be prepared again.',
  },
  {
    name: 'agent-market',
    description:
      'Holders, liquidity, risk score and returns of tokens launched for agents. An unknown input is null and counts as the highest risk.',
  },
  {
    name: 'marketplace',
    description:
      'Strategies for sale and your licences. Publish one manifest version, or buy: check out, sign the payment, settle. The licence is issued when the payment is final on chain. An import is a new draft agent that passes every gate itself.',
  },
  {
    name: 'leaderboard',
    description:
      'Wallets by realized P&L of live trading. Register an address; it is listed at once and ranked after its history was read. Sales without a known cost basis are in no figure.',
  },
  {
    name: 'copilot',
    description:
      'Answers questions from the data of the service and drafts Takes and policies. It never arms anything: drafts take effect only by your own call, which the answer names.',
  },
  {
    name: 'replay',
    description:
      'Playback of a recorded tape. Only a service started with a tape has these routes. Play, pause, step or seek; after a jump every feed starts with a new snapshot. A tape holds market data only.',
  },
  {
    name: 'mcp',
    description:
      'The Model Context Protocol, for language models. Connect with a token of an agent or of a member. Its tools are operations of this API that read, research and propose, with the permissions of the token. No tool signs, approves, pays or places an order.',
  },
  {
    name: 'feeds',
    description:
      'Live updates over WebSocket or server-sent events. Subscribe, apply the snapshot, then the updates in the order of `seq`. After a lost connection subscribe again from the last `cursor`. A client that reads too slowly is closed with `lagged` and resumes the same way.',
  },
];
