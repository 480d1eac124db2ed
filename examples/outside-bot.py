"""Bot of your own: reads its agent's context, proposes one trade, and prints the agent's decision. Arguments: agent id, token file."""
import sys
import time
from pathlib import Path

from sevengate import Client

agent, token_file = sys.argv[1:]
client = Client(token=Path(token_file).read_text().strip())


def decide(price, held):
    """Your strategy goes here: a side and a size, or None to hold."""
    return None if held else {"side": "buy", "notional_usd": "100", "reason": f"long at {price}"}


proposed = None
while proposed is None:
    context = client.get_outside_context(agent)
    instrument = context.universe[0]
    seen = [one for one in (context.cut.observations if context.cut else []) if one.instrument == instrument and one.quote]
    held = any(one.instrument == instrument for one in context.book.positions)
    trade = decide(seen[0].quote.ask, held) if seen else None
    if trade:
        # The slot identifies the proposal: sending it twice has one effect.
        name = f"slot-{int(context.cut.slot.timestamp())}"
        proposed = client.propose_trade(agent, instrument=instrument, client_id=name, manifest_hash=context.manifest_hash, **trade)
    else:
        time.sleep(1)

while (found := client.get_outside_proposal(agent, proposed.id)).state == "pending":
    time.sleep(1)
print(f"{found.side} {found.instrument}: {found.state}, decision {found.decision.disposition if found.decision else 'none'}")
