# Functions that the guides use against a sandbox. Load them with `. docs/guides/sandbox.sh` in the folder of the project.

# Where the service listens.
U=${U:-http://127.0.0.1:8080}
# A request as the operator, or as another member: `AS=risk-manager sg $U/v1/agents`.
sg() { curl -s -H "Authorization: Bearer $(cat "${SEVENGATE_HOME:-.sevengate}/tokens/${AS:-operator}.token")" "$@"; echo; }

# A field of the JSON that comes in: `of id`.
of() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
# A command with a JSON body: `say agents/$ID/autonomy '{"autonomy":"confirm"}'`.
say() { sg "$U/v1/$1" -H 'Content-Type: application/json' -d "$2"; }
# A request to the sandbox's control server, whose address is of this start: `control PUT /faults/spotexchange '{"freeze":true}'`.
control() { curl -s -X "$1" "$(node -p 'JSON.parse(fs.readFileSync(`${process.env.SEVENGATE_HOME ?? ".sevengate"}/sandbox.json`)).control')$2" ${3:+-d "$3"}; }
# A verb of the sandbox's chain (docs/operations.md lists them): `sandbox wallet '{"name":"me"}'`.
sandbox() { control POST "/chain/$1" "$2"; }

# Links the address of the wallet `me` to the organization, by its signature.
proved() {
  proof=$(say wallets/challenge "{\"address\":\"$1\"}" | node -p 'JSON.stringify({ name: "me", text: JSON.parse(fs.readFileSync(0)).text })')
  say wallets "{\"address\":\"$1\",\"signature\":\"$(sandbox sign_text "$proof" | of signature)\"}"
}

# Waits until the agent $ID has an order for which something is so, and names the newest such one $ORDER.
found() { until ORDER=$(sg "$U/v1/agent-orders?agentId=$ID" | of "items.find((order) => $1).id" 2>/dev/null); do sleep 1; done; }

# Approves the order that the agent proposes next.
approved() { found 'order.state === "pending_approval"'; sg -X POST "$U/v1/agent-orders/$ORDER/approve"; }

# Lets the wallet `me` sign the agent's order that is prepared next, waits until the chain has carried it out, and shows the book.
signed() {
  found 'order.transaction?.state === "prepared"'
  prepared=$(sg "$U/v1/agent-orders/$ORDER" | of transaction.id)
  bytes=$(sandbox sign "{\"name\":\"me\",\"transaction\":\"$(sg "$U/v1/spotchain/orders/$prepared" | of transaction)\"}" | of transaction)
  say "spotchain/orders/$prepared/execute" "{\"signedTransaction\":\"$bytes\"}"
  until sg "$U/v1/agent-orders/$ORDER" | grep -q '"state":"filled"'; do sleep 1; done
  sg "$U/v1/books?agentId=$ID&limit=1"
}
