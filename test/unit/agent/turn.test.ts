import assert from 'node:assert/strict';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { ShownCall } from '../../../src/agent/calls.ts';
import { ToolFailure } from '../../../src/agent/failures.ts';
import type { ModelReply } from '../../../src/agent/model/model.ts';
import { defineTool } from '../../../src/agent/tools/tool.ts';
import { Turn } from '../../../src/agent/turn.ts';
import type { InputItem } from '../../../src/contract/responses.ts';

const diff = (newText: string): ToolCallContent => ({ type: 'diff', path: '/srv/a.txt', oldText: 'a', newText });

describe('a call that needs a permission', () => {
	/** What has happened, in order. */
	const happened: string[] = [];
	const asked: ShownCall[] = [];
	let usage: ModelReply['usage'];
	beforeEach(() => {
		happened.splice(0);
		asked.splice(0);
		usage = undefined;
	});

	/** Plays one call of a tool that has these previews, and returns its result and what the client was told. */
	async function play(
		previews: (ToolCallContent[] | Error)[],
		isAllowed: ((call: ShownCall) => Promise<boolean>) | undefined,
		needsPermission = true,
	): Promise<{ result: string; updates: SessionUpdate[] }> {
		const tool = defineTool({
			name: 'change',
			description: 'Changes something.',
			schema: z.object({}),
			kind: 'edit',
			needsPermission,
			show: () => ({ title: 'Change', paths: ['/srv/a.txt'] }),
			async preview() {
				happened.push('preview');
				const preview = previews.shift() ?? assert.fail('no further preview was expected');
				if (preview instanceof Error) {
					throw preview;
				}
				return preview;
			},
			async run() {
				happened.push('run');
				return { text: 'It was changed.' };
			},
		});
		const replies: InputItem[][] = [
			[{ type: 'function_call', call_id: 'call-1', name: 'change', arguments: '{}' }],
			[{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }],
		];
		const updates: SessionUpdate[] = [];
		let saved: readonly InputItem[] = [];
		const turn = new Turn(
			{
				model: {
					name: 'scripted',
					reply: async () => ({ items: replies.shift() ?? [], usage, isCut: false }),
				},
				contextLength: 32_000,
				takesImages: false,
				instructions: '',
			},
			{ tools: [tool], folder: '/srv', isAllowed },
			{
				update: async update => void updates.push(update),
				save: async items => {
					saved = [...items];
				},
			},
			{ items: [], signal: new AbortController().signal },
		);
		assert.equal(await turn.run('Go'), 'end_turn');
		const output = saved.find(item => item.type === 'function_call_output');
		return { result: String(output && 'output' in output && output.output), updates };
	}

	const answering = (answer: boolean) => async (call: ShownCall) => {
		happened.push('asked');
		asked.push(call);
		return answer;
	};

	it('is looked at before the user is asked, and again before it is made', async () => {
		const { result } = await play([[diff('b')], [diff('b')]], answering(true));
		assert.deepEqual(happened, ['preview', 'asked', 'preview', 'run']);
		assert.equal(result, 'It was changed.');
		assert.deepEqual(asked[0]?.content, [diff('b')]);
		assert.deepEqual(asked[0]?.locations, [{ path: '/srv/a.txt' }]);
	});

	it('is not made if it has become another change by then, and the model is told', async () => {
		const { result, updates } = await play([[diff('b')], [diff('c')]], answering(true));
		assert.deepEqual(happened, ['preview', 'asked', 'preview']);
		assert.match(result, /has changed since this was shown to the user\. Read it again/);
		assert.ok(updates.some(update => update.sessionUpdate === 'tool_call_update' && update.status === 'failed'));
		assert.ok(!updates.some(update => update.sessionUpdate === 'tool_call_update' && update.status === 'in_progress'));
	});

	it('is not made if it can no longer be made by then', async () => {
		const { result } = await play([[diff('b')], new ToolFailure('It is gone.')], answering(true));
		assert.deepEqual(happened, ['preview', 'asked', 'preview']);
		assert.equal(result, 'It is gone.');
	});

	it('is neither made nor looked at again if it was refused', async () => {
		const { result } = await play([[diff('b')]], answering(false));
		assert.deepEqual(happened, ['preview', 'asked']);
		assert.match(result, /was not allowed/);
	});

	it('does not ask the user if it could not be made', async () => {
		for (const error of [new ToolFailure('There is no such text.'), new Error('EIO: a disk that fails')]) {
			happened.splice(0);
			const { result, updates } = await play([error], answering(true));
			assert.deepEqual(happened, ['preview']);
			assert.match(result, new RegExp(error.message));
			assert.ok(updates.some(update => update.sessionUpdate === 'tool_call_update' && update.status === 'failed'));
		}
	});

	it('is not looked at if no user is asked', async () => {
		assert.equal((await play([], undefined)).result, 'It was changed.');
		assert.deepEqual(happened, ['run']);
	});

	it('is followed by how full the context is, where the service has counted that', async () => {
		const told = (updates: SessionUpdate[]) => updates.filter(({ sessionUpdate }) => sessionUpdate === 'usage_update');
		assert.deepEqual(told((await play([], undefined)).updates), []);
		usage = { inputTokens: 1_200, outputTokens: 34 };
		const update = { sessionUpdate: 'usage_update', used: 1_234, size: 32_000 };
		assert.deepEqual(told((await play([], undefined)).updates), [update, update]);
	});

	it('is not looked at if it needs no permission', async () => {
		assert.equal((await play([], answering(false), false)).result, 'It was changed.');
		assert.deepEqual(happened, ['run']);
	});
});
