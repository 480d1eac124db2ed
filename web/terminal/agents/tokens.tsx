/** Tokens with which outside code proposes for one agent, and nothing else. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { dayAndTime } from '../../words.js';
import { api, refresh } from '../api.ts';
import { Form } from '../kit/form.tsx';
import { Heads } from '../kit/heads.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { Secrets } from './secret.tsx';

export function Tokens({ agentId }: { readonly agentId: string }) {
  const { data, error } = useQuery({
    queryKey: ['agent-tokens', agentId],
    queryFn: async ({ signal }) => (await api.listAgentTokens({ id: agentId }, { signal })).items,
  });
  const [mayMake, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  const revoking = useMutation({
    mutationFn: (tokenId: string) => api.revokeAgentToken({ id: agentId, tokenId }),
    onSettled: () => refresh('agent-tokens'),
  });
  return (
    <section aria-label="Tokens">
      <h2>Tokens</h2>
      <p className="faint">A token can propose trades for this agent and read what that requires. It can do nothing else.</p>
      <Refusal error={error ?? revoking.error} />
      {data?.length === 0 && <p className="empty">No tokens yet.</p>}
      {data !== undefined && data.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Tokens of the agent">
          <table className="rows wide">
            <Heads titles={['Name', 'Made', 'By', 'State']} words={['By', 'State']} buttons="Revoke" />
            <tbody>
              {data.map(({ id, name, createdAt, createdBy, revokedAt }) => (
                <tr key={id} data-token={id}>
                  <th scope="row">{name}</th>
                  <td className="num">{dayAndTime(createdAt)}</td>
                  <td className="text">{createdBy}</td>
                  <td className="text">{revokedAt === null ? <span className="up">valid</span> : `revoked ${dayAndTime(revokedAt)}`}</td>
                  <td className="action">
                    {revokedAt === null && (mayMake || mayManage) && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        loading={revoking.isPending}
                        onClick={() => revoking.mutate(id)}
                        aria-label={`Revoke ${name}`}
                      >
                        Revoke
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
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
