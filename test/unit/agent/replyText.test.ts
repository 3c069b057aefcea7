import assert from 'node:assert/strict';
import { announcesWork, looksLikeCall } from '../../../src/agent/replyText.ts';
import { tools } from '../../../src/agent/tools/tools.ts';
import { processorMs } from '../../support/processorTime.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

describe('a reply that announces work without a call', () => {
	const own = useOwnAgent();

	it('is told by its last sentence', () => {
		for (const text of [
			'The cause is clear. I will now change src/a.ts.',
			'I’ll run the tests',
			'Two files are wrong:\nLet me look at them first:',
			'Now I will fix it…',
		]) {
			assert.ok(announcesWork(text), text);
		}
		for (const text of [
			'',
			'I have changed a.ts. The tests pass.',
			'I will now change a.ts. It is done.',
			'Let me know if I should change b.ts too.',
			'I will not change a.ts, as nothing is wrong there.',
			'Should I run the tests?',
			'If you want, I will fix b.ts too.',
			`I will change ${'x'.repeat(500)}`,
		]) {
			assert.ok(!announcesWork(text), text);
		}
	});

	it('is looked at in linear time', () => {
		const spent = processorMs(() => {
			for (const part of ['Let me ', 'I will change.', 'a.b', '. ', 'I will see a.a']) {
				announcesWork(part.repeat(100_000));
			}
		});
		assert.ok(spent < 1_000);
	});

	it('is asked to do it, once', async () => {
		const agent = await own.start();
		const announcement: ScriptedReply = { text: 'I will now list the folder.' };
		own.server.play(announcement, { calls: [{ name: 'list', input: {} }] }, announcement);
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		assert.equal(own.server.requests.length, 3);
		assert.match(JSON.stringify(own.server.requests[1]?.body), /announces work, but has no call/);
		assert.ok(agent.events.some(event => event.type === 'tool' && /announced work/.test(event.call.title)));
	});
});

describe('a call that a model writes as text', () => {
	it('is told in each of the forms in which models write it', () => {
		for (const text of [
			'{"name":"read","arguments":{"path":"a"}}',
			'I look. {"name":"read","parameters":{"path":"a"}}',
			'```json\n{"name":"read","arguments":{}}\n{"name":"list","arguments":{}}\n```',
			'<tool_call>\n{"name":"read","arguments":{}}\n</tool_call>',
			'[{"tool":"read","args":{"path":"a"}}]',
			'{"tool_calls":[{"type":"function","function":{"name":"read","arguments":"{}"}}]}',
			'<function=read>\n<parameter=path>a</parameter>\n</function>',
			'<function_calls><invoke name="read"><parameter name="path">a</parameter></invoke></function_calls>',
		]) {
			assert.ok(looksLikeCall(text, tools), text);
		}
		for (const text of [
			'Done.',
			'{"name":"widget","input":1}',
			'The field "name": "read" and "input": are new.',
			'<p>Use <code>read</code></p>',
			'[{"name":"read"}]',
		]) {
			assert.ok(!looksLikeCall(text, tools), text);
		}
	});
});
