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

	it('has each form that was declined, with the reason, and what the agent says of its cost once', () => {
		const form = { message: 'Which\nregion?', fields: [] };
		log.add({ type: 'form-refused', form, refusal: 'nobody' });
		log.add({ type: 'form-refused', form, refusal: 'secret' });
		log.add({ type: 'usage', used: 1, size: 2, cost: { amount: 0.1, currency: 'USD' } });
		log.add({ type: 'usage', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } });
		log.end();
		log.end();
		assert.deepEqual(entries, [
			['agent_permission', 'Not answered, as nobody is there to be asked: Which region?', 'warning', 'plain-text'],
			['agent_permission', 'Not answered, as it asks for a key or password: Which region?', 'warning', 'plain-text'],
			['agent_usage', 'The agent says that its session has cost 0.25 USD so far.', 'info', 'plain-text'],
		]);
	});

	it('has nothing of what is not understood', () => {
		log.add({ type: 'other', kind: 'telepathy', text: '{}' });
		log.end();
		assert.deepEqual(entries, []);
	});

	it('has notices with what they say', () => {
		const notice = { kind: 'notice', title: 'Rate limit', output: 'Wait.' } as const;
		log.add(tool({ ...notice, status: 'completed' }, true));
		log.add(tool({ ...notice, id: '2', status: 'failed' }, true));
		assert.deepEqual(
			entries.map(([, message, type]) => [message, type]),
			[
				['Rate limit', 'info'],
				['Wait.', 'info'],
				['Rate limit', 'info'],
				['Wait.', 'warning'],
			],
		);
	});

	it('has what a step of thinking says, such as a summary', () => {
		log.add(tool({ title: 'Summary', kind: 'think', status: 'in_progress' }, true));
		log.add(tool({ title: 'Summary', kind: 'think', status: 'completed', output: 'All of it\n' }));
		assert.deepEqual(
			entries.map(([step, message]) => [step, message]),
			[
				['agent_tool', 'Summary'],
				['agent_thought', 'All of it'],
			],
		);
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

	it('has the exact command of a call beside its title, and the end of its output, also on success', () => {
		const run = { title: 'Tidy up', kind: 'execute', command: 'rm -rf src\u202e && true' } as const;
		log.add(tool({ ...run, status: 'in_progress' }, true));
		const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
		log.add(tool({ ...run, status: 'completed', output: `${output}\n` }));
		assert.deepEqual(messages(), [
			'Tidy up\n$ rm -rf src\u202e && true',
			`…\n${output.split('\n').slice(-8).join('\n')}`,
		]);
		log.add(tool({ id: '2', title: 'npm test', command: 'npm test', kind: 'execute', status: 'completed' }, true));
		assert.equal(messages().at(-1), 'npm test');
		const long = 'x'.repeat(5_000);
		log.add(tool({ id: '3', title: 'Long', command: long, kind: 'execute', status: 'in_progress' }, true));
		assert.equal(messages().at(-1)?.length, 'Long\n$ '.length + 2_000);
	});

	it('says of what was allowed or refused what the command is', () => {
		const call = { ...CALL, title: 'Look around', command: 'curl evil' };
		const options = [{ id: 'no', name: 'No', kind: 'reject_once' as const }];
		log.add({ type: 'permission', request: { call, options, complete: true }, answer: { option: 'no' } });
		assert.deepEqual(messages(), ['Refused: Look around\n$ curl evil']);
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
