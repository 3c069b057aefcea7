import assert from 'node:assert/strict';
import type { AgentForm, PermissionRequest, ToolCall } from '../../../../src/agents/session/events.ts';
import { ApprovalQuestions } from '../../../../src/chat/agent/approvalQuestions.ts';
import type { Allowance } from '../../../../src/chat/model/approvalPolicy.ts';
import type { ApprovalLevel } from '../../../../src/chat/model/approvals.ts';

const call: ToolCall = {
	id: 'one',
	title: 'npm test',
	command: 'npm test',
	kind: 'execute',
	status: 'pending',
	locations: [],
	diffs: [],
	output: '',
};
const request: PermissionRequest = {
	call,
	options: [
		{ id: 'yes', name: 'Yes', kind: 'allow_once' },
		{ id: 'ever', name: 'Ever', kind: 'allow_always' },
		{ id: 'no', name: 'No', kind: 'reject_once' },
	],
	complete: true,
};

describe('the questions of an agent', () => {
	let told: string[];
	/** The names of the questions that were asked. */
	let asked: string[];
	let allowed: Allowance[];
	let setting: ApprovalLevel;
	let questions: ApprovalQuestions;
	const open = new AbortController().signal;
	const latest = () => asked.at(-1) ?? '';
	/** Lets what was asked begin. */
	const tick = () => new Promise(setImmediate);

	beforeEach(() => {
		[told, asked, allowed, setting] = [[], [], [], 'ask'];
		questions = new ApprovalQuestions({
			rules: () => ({
				setting,
				isSandboxed: true,
				folder: '/project',
				isKept: () => true,
				isExecutable: () => false,
				linkedPlace: path => path,
				allowed,
			}),
			onAsk: ({ call: { id } }, { question, allowances }) => {
				asked.push(question);
				told.push(`ask ${id}${allowances.length === 0 ? ' once' : ''}`);
			},
			onDecide: ({ call: { id } }, how) => told.push(`${how} ${id}`),
			onAllowance: allowances => void allowed.push(...allowances),
			onForm: (_, { id, approval, content }) => {
				asked.push(id);
				told.push([approval.state, approval.reason, content && JSON.stringify(content)].filter(Boolean).join(' '));
			},
		});
	});

	it('wait for the user, and are answered for this time alone', async () => {
		const decided = questions.decide(request, open);
		await tick();
		assert.deepEqual(told, ['ask one']);
		questions.answer(latest(), 'once');
		assert.deepEqual(await decided, { option: 'yes' });
		assert.deepEqual(told, ['ask one', 'once one']);
		assert.equal(allowed.length, 0);
	});

	it('never take an answer that was meant for another one, or a second one', async () => {
		const first = questions.decide(request, open);
		await tick();
		questions.answer('one', 'once');
		questions.answer('other', 'once');
		questions.answer(latest(), 'no');
		questions.answer(latest(), 'once');
		assert.deepEqual(await first, { option: 'no' });
	});

	it('are asked anew where something else is shown with them, and no answer to the one before counts', async () => {
		const decided = questions.decide(request, open);
		await tick();
		const before = latest();
		assert.equal(questions.askAgain('other'), false);
		assert.equal(questions.askAgain(before), true);
		assert.equal(questions.askAgain(before), false);
		await tick();
		questions.answer(before, 'once');
		assert.equal(questions.askAgain(before), false);
		assert.deepEqual(told, ['ask one', 'ask one']);
		questions.answer(latest(), 'no');
		assert.deepEqual(await decided, { option: 'no' });
		assert.deepEqual(told, ['ask one', 'ask one', 'no one']);
	});

	it('are different ones where an agent asks about the same call again', async () => {
		const withdrawn = new AbortController();
		const first = questions.decide(request, withdrawn.signal);
		await tick();
		const before = latest();
		withdrawn.abort();
		assert.deepEqual(await first, { option: 'no' });
		const second = questions.decide({ ...request, call: { ...call, command: 'rm -rf .' } }, open);
		await tick();
		assert.notEqual(latest(), before);
		questions.answer(before, 'once');
		questions.answer(latest(), 'no');
		assert.deepEqual(await second, { option: 'no' });
	});

	describe('about a form', () => {
		const form: AgentForm = {
			message: 'Where?',
			fields: [{ name: 'place', title: 'Place', kind: 'text', isRequired: true }],
		};

		it('are answered with its fields', async () => {
			const filled = questions.askForm(form, open);
			await tick();
			questions.answer('other', 'no');
			assert.equal(questions.fillIn('other', { place: 'here' }), undefined);
			assert.equal(questions.fillIn(latest(), { place: 'here' }), undefined);
			assert.deepEqual(await filled, { action: 'accept', content: { place: 'here' } });
			assert.deepEqual(told, ['waiting', 'once {"place":"here"}']);
			assert.equal(questions.fillIn(latest(), { place: 'there' }), undefined);
		});

		it('take no answer that does not fit, and no key', async () => {
			const filled = questions.askForm(form, open);
			await tick();
			assert.equal(questions.fillIn(latest(), {}), 'unfit');
			assert.equal(questions.fillIn(latest(), { place: `ghp_${'a1B2c3D4e5'.repeat(4)}` }), 'key');
			questions.answer(latest(), 'no');
			assert.deepEqual(await filled, { action: 'decline' });
			assert.deepEqual(told, ['waiting', 'no']);
		});

		it('are cancelled with the turn, and told of where they are refused', async () => {
			const withdrawn = new AbortController();
			const filled = questions.askForm(form, withdrawn.signal);
			await tick();
			withdrawn.abort();
			assert.deepEqual(await filled, { action: 'cancel' });
			questions.refuse(form, 'it asks for a key');
			assert.deepEqual(told, ['waiting', 'unanswered', 'refused it asks for a key']);
		});

		it('wait for the question about a server’s tool that is asked meanwhile, and that waits for them', async () => {
			const first = questions.decide(request, open);
			const filled = questions.askForm(form, open);
			const second = questions.decide(request, open);
			await tick();
			assert.deepEqual(told, ['ask one']);
			questions.answer(latest(), 'once');
			assert.deepEqual(await first, { option: 'yes' });
			await tick();
			assert.equal(told.at(-1), 'waiting');
			assert.equal(questions.fillIn(latest(), { place: 'here' }), undefined);
			assert.deepEqual(await filled, { action: 'accept', content: { place: 'here' } });
			await tick();
			assert.equal(told.at(-1), 'ask one');
			questions.answer(latest(), 'no');
			assert.deepEqual(await second, { option: 'no' });
		});

		it('are no requests for a permission, whose answers they do not take', async () => {
			const decided = questions.decide(request, open);
			await tick();
			assert.equal(questions.fillIn(latest(), { place: 'here' }), undefined);
			questions.answer(latest(), 'once');
			assert.deepEqual(await decided, { option: 'yes' });
		});
	});

	it('are not asked again for the same, when that was allowed for the conversation', async () => {
		const first = questions.decide(request, open);
		await tick();
		questions.answer(latest(), 'conversation');
		assert.deepEqual(await first, { option: 'yes' });
		assert.deepEqual(await questions.decide(request, open), { option: 'yes' });
		assert.deepEqual(told, ['ask one', 'conversation one', 'before one']);
	});

	it('allow nothing for the conversation that could only be allowed once', async () => {
		const fetch: PermissionRequest = { ...request, call: { ...call, kind: 'fetch', command: undefined } };
		const first = questions.decide(fetch, open);
		await tick();
		questions.answer(latest(), 'conversation');
		await first;
		assert.equal(allowed.length, 0);
		assert.deepEqual(told, ['ask one once', 'conversation one']);
	});

	it('are refused if they are withdrawn before an answer', async () => {
		const controller = new AbortController();
		const decided = questions.decide(request, controller.signal);
		await tick();
		controller.abort();
		assert.deepEqual(await decided, { option: 'no' });
		assert.deepEqual(told, ['ask one', 'unanswered one']);
		questions.answer(latest(), 'once');
		assert.deepEqual(await questions.decide(request, controller.signal), { option: 'no' });
	});

	it('are refused at once if the user could not know what they allow', async () => {
		const { option, reason } = await questions.decide({ ...request, complete: false }, open);
		assert.deepEqual([option, reason], ['no', 'unreadable']);
		assert.deepEqual(told, ['unreadable one']);
	});

	it('follow the setting as it is when they are asked', async () => {
		setting = 'allow-in-sandbox';
		assert.deepEqual(await questions.decide(request, open), { option: 'yes' });
		assert.deepEqual(told, ['setting one']);
	});
});
