// Server with the product's rule for the last descriptors, in a process with a low limit, started by spare-descriptors.test.ts.
import { register } from 'tsx/esm/api';

register();
const { fastify } = await import('fastify');
const { keepDescriptors } = await import('../../api/http/spare-descriptors.ts');
const app = fastify({ logger: false, genReqId: () => 'r' });
for (const url of ['/healthz', '/v1/agents']) app.get(url, async () => ({ ok: true }));
app.post('/v1/agents/emergency-halt', async () => ({ halted: true }));
keepDescriptors(app);
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${app.server.address().port}\n`);
