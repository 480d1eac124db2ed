/** Tokens of outside code. A token can only propose trades of one agent. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { dayAndTime } from '../../../words.js';
import { api, refresh, useRead } from '../../api.ts';
import { Form } from '../../kit/form.tsx';
import { Loaded } from '../../kit/lists.tsx';
import { Table } from '../../kit/table.tsx';
import { Refusal } from '../../kit/refusal.tsx';
import { useMay } from '../../member.ts';
import { Secrets } from './secret.tsx';

export function Tokens({ agentId }: { readonly agentId: string }) {
  const tokens = useRead(['agent-tokens', agentId], async (call) => (await api.listAgentTokens({ id: agentId }, call)).items);
  const [mayMake, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  const revoking = useMutation({
    mutationFn: (tokenId: string) => api.revokeAgentToken({ id: agentId, tokenId }),
    onSettled: () => refresh('agent-tokens'),
  });
  return (
    <section aria-label="Tokens">
      <h2>Tokens</h2>
      <p className="faint">A token can propose trades for this agent and read what that requires. It can do nothing else.</p>
      <Refusal error={revoking.error} />
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
                    <Button
                      size="compact-xs"
                      variant="default"
                      loading={revoking.isPending}
                      onClick={() => revoking.mutate(id)}
                      aria-label={`Revoke ${name}`}
                    >
                      Revoke
                    </Button>
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
