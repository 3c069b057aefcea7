import assert from 'node:assert/strict';
import { waitingStep } from '../../../src/chat/model/agentWork.ts';
import { useAgentRuns } from './useAgentRuns.ts';

/** An agent that asks where, and says what it was answered. */
const PROGRAM = `
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	const form = { type: 'object', properties: { place: { type: 'string', title: 'Place' } }, required: ['place'] };
	const sessionId = 'one';
	let prompt;
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method, result } = JSON.parse(line);
		const tell = (sessionUpdate, others) =>
			say({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...others } } });
		if (method === 'session/prompt') {
			prompt = id;
			tell('session_info_update', { title: 'A place for tests' });
			tell('telepathy', { thought: 1 });
			const asked = { sessionId, mode: 'form', message: 'Where?', requestedSchema: form };
			say({ id: 'form', method: 'elicitation/create', params: asked });
		} else if (id === 'form') {
			tell('agent_message_chunk', { content: { type: 'text', text: JSON.stringify(result) } });
			say({ id: prompt, result: { stopReason: 'end_turn' } });
		} else if (method) {
			say({ id, result: { protocolVersion: 1, sessionId } });
		}
		if (method === 'session/new') {
			tell('available_commands_update', { availableCommands: [{ name: 'review', description: 'Looks' }] });
		}
	});`;

describe('the form of an agent in the chat', () => {
	const agents = useAgentRuns({}, [{ id: 'asking', command: 'node', args: ['-e', PROGRAM] }]);

	it('is answered by the user, and what else the agent tells is kept', async () => {
		const conversation = { ...agents.fresh('Test it'), settings: { agent: 'asking' } };
		const { reply, work, error } = await agents.work(conversation, ({ steps }, turn) => {
			const { approval } = waitingStep({ steps }) ?? {};
			if (approval?.question) {
				assert.equal(agents.runs.fillIn(turn, approval.question, { place: 7 }), 'unfit');
				assert.equal(agents.runs.fillIn(turn, approval.question, { place: 'here' }), undefined);
			}
		});
		assert.equal(error, undefined);
		assert.equal(reply.text, '{"action":"accept","content":{"place":"here"}}');
		assert.equal(agents.asked(), 1);
		assert.deepEqual(
			work.steps.map(({ title, approval, output }) => [title, approval?.state, output]),
			[['Where?', 'once', 'Place: here']],
		);
		assert.equal(work.title, 'A place for tests');
		assert.deepEqual(
			work.unknown?.map(({ kind }) => kind),
			['telepathy'],
		);
		assert.deepEqual(agents.commands()['asking'], [{ name: 'review', description: 'Looks' }]);
	});
});
