import assert from 'node:assert/strict';
import { promptOf, summaryBefore } from '../../../../src/chat/model/agentPrompt.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second, third] = TURN_IDS;

describe('what an agent is told', () => {
	it('is the message with its context as resources, by the place that the agent has it at, else by path, address or label, without images', () => {
		const value = conversation({
			...turn(first, 'Do it', reply()),
			attachments: [
				{ kind: 'file', label: 'a.ts', text: 'a', path: 'src/a.ts', uri: 'file:///src/a.ts' },
				{ kind: 'folder', label: 'src', text: 'b', uri: 'file:///src' },
				{ kind: 'terminal', label: 'npm test', text: 'c' },
				{
					kind: 'image',
					label: 'x.png',
					text: '',
					image: { file: 'x', type: 'image/png', width: 1, height: 1, bytes: 1 },
				},
			],
		});
		assert.deepEqual(
			promptOf(value, first, uri => (uri === 'file:///src' ? 'web/src' : undefined)),
			{
				text: 'Do it',
				resources: [
					{ uri: 'src/a.ts', text: 'a' },
					{ uri: 'web/src', text: 'b' },
					{ uri: 'npm test', text: 'c' },
				],
			},
		);
	});

	it('is a summary of the turns before, where it has no memory of them', () => {
		const value = conversation(
			turn(first, 'One?', reply({ text: 'First.' })),
			turn(second, 'Two?', reply({ text: '' })),
			turn(third, 'Three?', reply()),
		);
		assert.equal(summaryBefore(value, first), undefined);
		assert.equal(summaryBefore(value, third), 'User: One?\nYou: First.\n\nUser: Two?\nYou: (no answer)');
	});

	it('is no more than a bounded part of a long conversation, its end first', () => {
		const turns = Array.from({ length: 30 }, (_, at) =>
			turn(
				`00000000-0000-4000-8000-0000000001${String(at).padStart(2, '0')}`,
				`Question ${at} ${'x'.repeat(5_000)}`,
				reply(),
			),
		);
		const summary = summaryBefore(conversation(...turns), turns.at(-1)?.id ?? '') ?? '';
		assert.ok(summary.length < 20_000);
		assert.match(summary, /^…/);
		assert.match(summary, /Question 28/);
		assert.doesNotMatch(summary, /Question 29|Question 3 /);
	});

	it('is of a turn that another one goes on from the step only what was until there', () => {
		const step = (id: string, title: string, offset: number) => ({
			...{ id, title, offset, kind: 'edit' as const, state: 'done' as const, startedAt: 0 },
		});
		const steps = [step('1', 'Edit a.ts', 6), step('2', 'Edit b.ts', 14), step('3', 'Edit c.ts', 21)];
		const from = { turn: second, step: '2', title: 'Edit b.ts', states: [] };
		const value = conversation(
			turn(first, 'One?', reply({ text: 'First.' })),
			turn(second, 'Two?', reply({ text: 'I see. I go on. Done. It was c.', work: { ...AGENT_WORK, steps } })),
			{ ...turn(third, 'Three?', reply()), from },
		);
		const told = summaryBefore(value, third) ?? '';
		assert.match(told, /You: First\.\n\nUser: Two\?\nYou: I see\. I go on\n/);
		assert.match(told, /- Edit a\.ts\n- Edit b\.ts$/);
		assert.doesNotMatch(told, /c\.ts|Done/);
	});
});
