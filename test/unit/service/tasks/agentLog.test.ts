import assert from 'node:assert/strict';
import type { AgentEvent, ToolCall } from '../../../../src/agents/session/events.ts';
import { AgentLog } from '../../../../src/service/tasks/agentLog.ts';
import type { TaskLog } from '../../../../src/service/tasks/taskLog.ts';

const CALL: ToolCall = { id: '1', title: '', kind: 'edit', status: 'pending', locations: [], diffs: [], output: '' };

describe('the log of an agent', () => {
	let entries: [step: string, message: string, type: string, contentType: string][];
	let log: AgentLog;
	beforeEach(() => {
		entries = [];
		log = new AgentLog(
			{
				said: (step, message, type = 'info', contentType = 'plain-text') =>
					entries.push([step, message, type, contentType]),
			} as Pick<TaskLog, 'said'> as TaskLog,
			'/workspace/repository',
		);
	});

	const tool = (call: Partial<ToolCall>, isNew = false): AgentEvent => ({
		type: 'tool',
		call: { ...CALL, ...call },
		isNew,
		changed: Object.keys(call) as (keyof ToolCall)[],
	});
	const messages = () => entries.map(([, message]) => message);

	it('has a message line by line, as soon as a line is there, and the rest when something else comes', () => {
		log.add({ type: 'message', text: 'First ' });
		log.add({ type: 'message', text: 'line\n\nsecond' });
		assert.deepEqual(entries, [['agent_message', 'First line', 'info', 'agentResponse']]);
		log.add({ type: 'plan', entries: [{ content: 'Do it', status: 'pending' }] });
		log.add({ type: 'message', text: 'third' });
		log.end();
		assert.deepEqual(messages(), ['First line', 'second', '[ ] Do it', 'third']);
	});

	it('cuts a line without an end into entries', () => {
		log.add({ type: 'message', text: 'x'.repeat(20_000) });
		log.end();
		assert.deepEqual(
			messages().map(message => message.length),
			[8_000, 8_000, 4_000],
		);
	});

	it('has a thought as a whole, cut where it is long', () => {
		log.add({ type: 'thought', text: 'Hm, ' });
		log.add({ type: 'thought', text: 'well' });
		assert.deepEqual(entries, []);
		log.add({ type: 'message', text: 'a\n' });
		assert.deepEqual(messages(), ['Hm, well', 'a']);
		log.add({ type: 'thought', text: 'y'.repeat(10_000) });
		log.end();
		assert.equal(messages().at(-1)?.length, 4_000);
	});

	it('names a tool call once, when it begins, and shows its changes or its failure at the end', () => {
		log.add(tool({ title: 'edit' }, true));
		assert.deepEqual(messages(), []);
		const locations = [{ path: '/workspace/repository/src/a.ts' }];
		log.add(tool({ title: 'edit', status: 'in_progress', locations }));
		log.add(tool({ title: 'Edit a.ts', status: 'in_progress', locations }));
		const diffs = [{ path: '/workspace/repository/src/a.ts', oldText: 'a\n', newText: 'b\n' }];
		log.add(tool({ title: 'Edit a.ts', status: 'completed', diffs }));
		log.add(tool({ id: '2', title: 'Run tests', kind: 'execute', status: 'in_progress' }, true));
		log.add(tool({ id: '2', title: 'Run tests', status: 'failed', output: 'exit\n1' }));
		assert.deepEqual(messages(), [
			'edit src/a.ts',
			'src/a.ts\n\u001b[31m- a\u001b[39m\n\u001b[32m+ b\u001b[39m',
			'Run tests',
			'Run tests failed: exit 1',
		]);
		assert.deepEqual(
			entries.map(([, , type]) => type),
			['info', 'info', 'info', 'warning'],
		);
	});

	it('names a call that never says that it has begun, by its kind if it has no title', () => {
		log.add(tool({ status: 'pending' }, true));
		log.add(tool({ title: 'Read b.ts', status: 'completed' }));
		log.add(tool({ id: '2', kind: 'search', status: 'completed' }, true));
		const locations = [{ path: '/etc/passwd' }];
		log.add(tool({ id: '3', kind: 'read', status: 'completed', locations }, true));
		assert.deepEqual(messages(), ['Read b.ts', 'search', 'read /etc/passwd']);
	});

	it('repeats no plan that is the same', () => {
		const plan: AgentEvent = {
			type: 'plan',
			entries: [
				{ content: 'Read\nit', status: 'completed' },
				{ content: 'Change it', status: 'in_progress' },
			],
		};
		log.add(plan);
		log.add(plan);
		assert.deepEqual(messages(), ['[x] Read it\n[>] Change it']);
	});

	it('says what was allowed and what was refused, with the reason', () => {
		const request = {
			call: { ...CALL, title: 'Edit /etc/passwd' },
			options: [
				{ id: 'a', name: 'Yes', kind: 'allow_once' as const },
				{ id: 'r', name: 'No', kind: 'reject_once' as const },
			],
			complete: true,
		};
		log.add({ type: 'permission', request, answer: { option: 'a' } });
		log.add({ type: 'permission', request, answer: { option: 'r', reason: 'outside the repository' } });
		log.add({ type: 'permission', request, answer: { option: undefined } });
		assert.deepEqual(
			entries.map(([, message, type]) => [message, type]),
			[
				['Allowed: Edit /etc/passwd', 'info'],
				['Refused: Edit /etc/passwd (outside the repository)', 'warning'],
			],
		);
	});
});
