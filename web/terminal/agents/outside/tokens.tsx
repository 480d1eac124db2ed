/** Tokens of outside code. A token can only propose trades of one agent. */
import { dayAndTime } from '../../../words.js';
import { api, useRead } from '../../api.ts';
import { Ask } from '../../kit/ask.tsx';
import { Form } from '../../kit/form.tsx';
import { Loaded } from '../../kit/lists.tsx';
import { Table } from '../../kit/table.tsx';
import { useMay } from '../../member.ts';
import { Secrets } from './secret.tsx';

export function Tokens({ agentId }: { readonly agentId: string }) {
  const tokens = useRead(['agent-tokens', agentId], async (call) => (await api.listAgentTokens({ id: agentId }, call)).items);
  const [mayMake, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  return (
    <section aria-label="Tokens">
      <h2>Tokens</h2>
      <p className="faint">A token can propose trades for this agent and read what that requires. It can do nothing else.</p>
      <Loaded query={tokens}>
        {(rows) => (
          <Table
            label="Tokens of the agent"
            empty="No tokens yet."
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', text: ({ name }) => name },
              { title: 'Made', at: ({ createdAt }) => createdAt },
              { title: 'By', isText: true, text: ({ createdBy }) => createdBy },
              {
                title: 'State',
                isText: true,
                cell: ({ revokedAt }) => (revokedAt === null ? <span className="up">valid</span> : `revoked ${dayAndTime(revokedAt)}`),
              },
              {
                title: 'Actions',
                buttons: ({ id, name, revokedAt }) =>
                  revokedAt === null &&
                  (mayMake || mayManage) && (
                    <Ask
                      verb="Revoke"
                      name={`Revoke ${name}`}
                      title={`Revoke the token ${name}?`}
                      isDangerous
                      done={`Token ${name} revoked.`}
                      changes={['agent-tokens']}
                      act={() => api.revokeAgentToken({ id: agentId, tokenId: id })}
                    >
                      <p>Code that uses it can propose nothing more. This cannot be undone.</p>
                    </Ask>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {mayMake && <MakeToken agentId={agentId} />}
    </section>
  );
}

const MakeToken = ({ agentId }: { readonly agentId: string }) => (
  <Form
    fields={[{ name: 'name', label: 'Name of the token', placeholder: 'Name, such as my bot' }]}
    first={{ name: '' }}
    verb="Create token"
    send={(body) => api.createAgentToken({ id: agentId, body })}
    changes={['agent-tokens']}
    answer={({ token }, forget) => <Secrets title="Token" secrets={[['Token', token]]} close={forget} />}
  />
);
