import assert from 'node:assert/strict';
import type { AgentWork } from '../../../src/chat/model/agentWork.ts';
import { handlersOver } from './handlersOver.ts';

describe('what an agent has changed', () => {
	const work = {
		agent: 'errand',
		label: 'Errand',
		steps: [],
		checkpoints: [
			{ repository: '/r/client', at: 'client', before: 'c-before', after: 'c-after' },
			{ repository: '/r/server', at: 'server', before: 's-before', taken: 's-taken', after: 's-after' },
		],
		files: [
			{ path: 'server/done.txt', status: 'M', isTaken: true },
			{ path: 'server/more.txt', status: 'M', isTaken: true, isLeft: true },
		],
	} as unknown as AgentWork;

	/** Returns what is compared when the page asks for it. */
	async function compared(file?: string): Promise<unknown[]> {
		const calls: unknown[] = [];
		const handlers = handlersOver(work, { compare: async (...given: unknown[]) => void calls.push(given) });
		await handlers['work-compare']({ kind: 'work-compare', turn: 't', ...(file && { file }) } as never);
		return calls;
	}

	it('is compared in each repository, with the user’s own file where it has all of its changes', async () => {
		const client = { repository: '/r/client', from: 'c-before', to: 'c-after' };
		const server = { repository: '/r/server', from: 's-before', to: 's-after' };
		const parts = [
			{ range: client, own: [], folder: 'client' },
			{ range: server, own: ['done.txt'], folder: 'server' },
		];
		assert.deepEqual(await compared(), [['Changed by Errand', parts, undefined]]);
	});

	it('is compared for a file up to the state that the user’s own file has, if it has all of its changes', async () => {
		for (const [name, to] of [
			['done.txt', 's-taken'],
			['more.txt', 's-after'],
		] as const) {
			const range = { repository: '/r/server', from: 's-before', to };
			const parts = [{ range, own: ['done.txt'], folder: 'server' }];
			assert.deepEqual(await compared(`server/${name}`), [['Changed by Errand', parts, name]]);
		}
	});
});
