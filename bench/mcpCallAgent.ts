// An agent that only calls the tool of its MCP server: as often as its prompt says, once it has the server. It writes the
// usual time of a call into `time.txt` of its folder.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { timeCalls } from './mcpCalls.ts';

interface Message {
	id?: number;
	method?: string;
	params: {
		cwd: string;
		mcpServers: { command: string; args: string[]; env: { name: string; value: string }[] }[];
		prompt: { text?: string }[];
	};
}

const send = (id: number | undefined, result: object) =>
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

let session: Message['params'] | undefined;

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line) as Message;
	if (method === 'initialize') {
		send(id, { protocolVersion: 1, agentInfo: { name: 'calls', version: '1' }, agentCapabilities: {} });
	} else if (method === 'session/new') {
		session = params;
		// It is started as Errand's own agent is, which has this mode.
		const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
		send(id, { sessionId: 'calls', modes });
	} else if (method === 'session/prompt') {
		const [server] = session?.mcpServers ?? [];
		if (session === undefined || server === undefined) {
			throw new Error('There is no server.');
		}
		const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
		const time = await timeCalls({ ...server, env }, Number(params.prompt[0]?.text));
		writeFileSync(path.join(session.cwd, 'time.txt'), String(time));
		send(id, { stopReason: 'end_turn' });
	}
}
