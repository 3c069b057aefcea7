import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { TaskCheck, TaskCheckRequest } from '../../../src/contract/agents.ts';
import { NeedsCheck } from '../../../src/tasks/launch/serviceCheck.ts';

describe('the check of what one launch needs', () => {
	let answer: () => Promise<TaskCheck>;
	let asked: TaskCheckRequest[];
	let answers: number;
	let needs: NeedsCheck;
	const check: TaskCheck = {
		sandbox: { works: false, problem: 'platform' },
		unusable: [],
		asksForUnsandboxed: true,
		unpricedModels: [],
		ownDependencies: { shown: [], unmet: [] },
		dependencies: null,
	};
	const request = { repoUrl: '/one', agents: ['opencode'] };

	beforeEach(() => {
		[asked, answers] = [[], 0];
		answer = async () => check;
		needs = new NeedsCheck({
			label: 'Local',
			checkTask: request => {
				asked.push(request);
				return answer();
			},
			onAnswer: () => answers++,
		});
	});

	it('asks the local service once for each subject, and again on request', async () => {
		needs.ask(request);
		needs.ask({ ...request });
		assert.equal(needs.look.kind, 'asking');
		await needs.settled();
		assert.deepEqual([needs.look, asked.length, answers], [{ kind: 'known', check }, 1, 1]);
		needs.ask({ ...request, agents: [] });
		needs.ask({ ...request, agents: [] });
		assert.equal(asked.length, 2);
		needs.forget();
		needs.ask({ ...request, agents: [] });
		assert.equal(asked.length, 3);
	});

	it('takes the answer to the latest question, whichever comes first', async () => {
		const late = Promise.withResolvers<TaskCheck>();
		answer = () => late.promise;
		needs.ask(request);
		answer = async () => ({ ...check, asksForUnsandboxed: false });
		needs.ask({ ...request, agents: [] });
		await needs.settled();
		late.resolve(check);
		await late.promise;
		assert.deepEqual(needs.look, { kind: 'known', check: { ...check, asksForUnsandboxed: false } });
	});

	it('keeps an answer of the user for its repository alone', async () => {
		needs.ask(request);
		await needs.settled();
		assert.deepEqual(needs.consents(), []);
		needs.answer({ unsandboxed: 'platform' });
		needs.ask({ ...request, agents: [] });
		await needs.settled();
		assert.deepEqual(needs.consents(), [{ kind: 'unsandboxed', repoUrl: '/one', problem: 'platform' }]);
		needs.ask({ ...request, repoUrl: '/two' });
		await needs.settled();
		assert.deepEqual([needs.answers, needs.consents()], [{}, []]);
	});

	it('says why if the service fails, and counts an older service without this question as not asked', async () => {
		answer = () => Promise.reject(new ClientError('timeout', 'late'));
		needs.ask(request);
		await needs.settled();
		assert.deepEqual(needs.look, { kind: 'failed', reason: 'Local didn’t respond in time. Try again.' });
		answer = () => Promise.reject(new ClientError('not-found', 'no route'));
		needs.forget();
		needs.ask(request);
		await needs.settled();
		assert.deepEqual(needs.look, { kind: 'not-asked' });
	});

	it('does not ask a remote service', async () => {
		const elsewhere = new NeedsCheck({ label: 'Quillon', checkTask: undefined, onAnswer: () => answers++ });
		elsewhere.ask(request);
		await elsewhere.settled();
		assert.deepEqual([elsewhere.look, elsewhere.consents(), answers], [{ kind: 'not-asked' }, [], 0]);
	});
});
