import assert from 'node:assert/strict';
import { citationsOf } from '../../src/chat/model/citations.ts';
import type { ReplyView } from '../../src/chat/protocol/protocol.ts';
import type { StepView, WorkView } from '../../src/chat/protocol/workProtocol.ts';
import { waitFor } from '../support/waitFor.ts';
import { agentTurn, CHANGES, ENDED, HOSTILE_TITLES, OUTPUT, PLAN, stepView, usualSteps } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { longestTask } from '../ui/taskTimes.ts';
import type { PageOptions } from '../ui/testPage.ts';

const STREAMING = { state: 'streaming' } as const;
/** Milliseconds of CPU: far above what any task takes, far below what showing all at once takes. */
const LONGEST_TASK = 150;

describe('the turn of an agent in the chat', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const show = async (work: Partial<WorkView>, reply: Partial<ReplyView> = {}, options?: PageOptions) => {
		await open(options);
		const turn = agentTurn(work, reply);
		await chat.snapshot([turn], { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } });
		return turn;
	};
	const setStep = (turn: { id: string }, step: StepView) => chat.changes({ kind: 'step-set', turn: turn.id, step });
	const button = (name: string | RegExp) => chat.page.getByRole('button', { name });
	const line = (name: string) => chat.page.locator('chat-step .line', { hasText: name });
	const posted = async (kind: string) => (await chat.posted()).filter(message => message.kind === kind);

	/** What stands in the reply, from top to bottom: texts, the titles of steps, and folds. */
	const flow = () =>
		chat.page.locator('chat-work').evaluate(work =>
			[...(work.shadowRoot?.querySelectorAll('.block > *') ?? [])].map(item => {
				const root = item.shadowRoot ?? item;
				const shown = root.querySelector('.content, .title, .box h4') ?? root.querySelector('summary');
				return `${item.localName}: ${shown?.textContent?.trim() ?? ''}`;
			}),
		);

	describe('shows its text and its steps', () => {
		it('in the order in which they came', async () => {
			const turn = await show({}, STREAMING);
			await chat.append(turn.id, 'First words.');
			await setStep(turn, stepView({ title: 'Read a.ts', offset: 12 }));
			await setStep(turn, stepView({ title: 'Read b.ts', offset: 12 }));
			await chat.append(turn.id, 'More **words**.\n\n');
			await setStep(turn, stepView({ title: 'Read c.ts', offset: 29 }));
			assert.deepEqual(await flow(), [
				'chat-markdown: First words.',
				'chat-step: Read a.ts',
				'chat-step: Read b.ts',
				'chat-markdown: More words.',
				'chat-step: Read c.ts',
			]);
		});

		it('with nothing for a text of white space alone', async () => {
			await show(
				{ steps: [stepView({ title: 'Read a.ts' }), stepView({ title: 'Read b.ts', offset: 3 })] },
				{ text: ' \n\n\n ' },
			);
			assert.deepEqual(await flow(), ['chat-step: Read a.ts', 'chat-step: Read b.ts']);
		});

		it('and copies the text alone, with the parts apart', async () => {
			await show({ steps: [stepView({ offset: 4 }), stepView({ offset: 8 })] }, { text: 'One.Two.**Three.**' });
			await button('Copy Reply').click();
			assert.equal((await chat.waitForPosted('text-copy')).text, 'One.\n\nTwo.\n\n**Three.**');
		});

		it('and each mark of a source where it belongs', async () => {
			const text = 'Seconds it is.And milliseconds there.';
			const citations = citationsOf(text, [
				{ url: 'https://a.example/', start: 0, end: 14 },
				{ url: 'https://b.example/', start: 18, end: 31 },
			]);
			await show({ steps: [stepView({ offset: 14 })] }, { text, citations });
			await chat.page.locator('.citation').nth(1).waitFor();
			assert.deepEqual(await flow().then(items => items.filter(item => item.startsWith('chat-markdown'))), [
				'chat-markdown: Seconds it is.1',
				'chat-markdown: And milliseconds2 there.',
			]);
		});

		it('and moves nothing that has happened, whatever comes', async () => {
			const text = 'A paragraph of words.\n\n';
			const turn = await show({ steps: [stepView({ title: 'The first' })] }, { ...STREAMING, text }, { height: 2_000 });
			const marks = ['chat-markdown p', 'chat-step'];
			const places = async () =>
				Promise.all(
					marks.map(async mark => Math.round((await chat.page.locator(mark).first().boundingBox())?.y ?? -1)),
				);
			const before = await places();
			const work = { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true } as const;
			await chat.changes({ kind: 'reasoning-append', turn: turn.id, text: 'A thought that comes late.' });
			assert.deepEqual(await places(), before, 'after a thought');
			await chat.changes({ kind: 'work-set', turn: turn.id, work: { ...work, plan: PLAN } });
			assert.deepEqual(await places(), before, 'after a plan');
			for (let count = 0; count < 14; count++) {
				const { endedAt: _, ...step } = stepView({ offset: text.length, title: `Read ${count}.ts` });
				await setStep(turn, { ...step, state: 'running' });
				await setStep(turn, { ...step, endedAt: step.startedAt + 10 });
				assert.deepEqual(await places(), before, `after step ${count}`);
			}
			await chat.append(turn.id, 'The end.');
			assert.deepEqual(await places(), before, 'after the end');
			assert.deepEqual((await flow()).slice(0, 6), [
				'chat-step: The first',
				'chat-markdown: A paragraph of words.',
				'details: Reasoning',
				'chat-plan: ',
				'chat-step: Read 0.ts',
				'chat-step: Read 1.ts',
			]);
			assert.equal((await flow()).at(-2), 'chat-fold: 6 steps: 6 files read');
		});

		it('and what a long turn has, a little at a time', async () => {
			await open();
			const steps = Array.from({ length: 500 }, (_, index) => stepView({ offset: (index + 1) * 12, kind: 'fetch' }));
			const turn = agentTurn({ steps }, { text: 'Some *words*'.repeat(501) });
			const { cpu } = await longestTask(chat.page, () => chat.snapshot([turn]));
			assert.equal(await chat.page.locator('chat-step').count(), 500);
			assert.equal(await chat.page.locator('chat-markdown').count(), 501);
			assert.ok(cpu < LONGEST_TASK, `${cpu} ms`);
		});
	});

	describe('says what it is doing', () => {
		const now = () => chat.page.locator('h3 .now');

		it('beside who it is and where it works', async () => {
			const turn = await show({ isSandboxed: false }, { ...STREAMING, reasoning: 'Hm.' }, { width: 800 });
			const heading = chat.page.locator('h3');
			assert.match(await heading.innerText(), /Errand on large-model\s+\S?\s*without a sandbox\s+thinking/);
			const { endedAt: _, ...step } = stepView({ title: 'npm test', state: 'running' });
			await setStep(turn, step);
			assert.equal(await now().innerText(), 'npm test');
			await setStep(turn, stepView({ ...step, state: 'done' }));
			assert.equal(await now().innerText(), 'working');
			await setStep(turn, { ...step, id: 'asks', approval: { state: 'waiting' } });
			assert.equal(await now().innerText(), 'waiting for your answer');
			await chat.change({ ...turn, reply: { ...turn.reply, state: 'done' } });
			assert.equal(await now().count(), 0);
		});

		it('in sentences that are whole also where the view is narrow, and no longer than four lines', async () => {
			const words = 'Try 2 of 3: The model coder had an internal error: Overloaded.';
			const titles = [words, 'very long '.repeat(40)];
			await show({ steps: titles.map(title => stepView({ kind: 'think', title })) }, STREAMING, { width: 280 });
			const lines = await chat.page
				.locator('chat-step .title')
				.evaluateAll(all => all.map(({ scrollHeight, clientHeight }) => [scrollHeight / 18, clientHeight / 18]));
			assert.deepEqual(lines[0], [2, 2]);
			assert.equal(lines[1]?.[1], 4);
		});

		it('in a sentence that says why something has failed with its next step, also where the view is narrow', async () => {
			const title =
				'The MCP server “search” is not used: pipx would download it, and a sandbox without hosts reaches no network. Install it yourself, as with “npm install --global” or “uv tool install”, and declare its program as the command, in errand.agents.mcpServers if it is only for you.';
			await show({ steps: [stepView({ title, state: 'failed' })] }, STREAMING, { width: 280 });
			const words = chat.page.locator('chat-step .title');
			assert.equal(await words.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), 0);
		});

		it('and does not say that the reply is late while a step runs', async () => {
			const { endedAt: _, ...step } = stepView({ state: 'running' });
			const turn = await show({ steps: [step] }, { ...STREAMING, waiting: true });
			assert.equal(await chat.page.getByText('Still waiting').count(), 0);
			await setStep(turn, { ...step, state: 'done' });
			await chat.page.locator('.outcome').getByText('Still waiting for Errand.').waitFor();
		});
	});

	describe('folds', () => {
		const finished = (count: number, others: Partial<StepView> = {}) =>
			Array.from({ length: count }, () => stepView(others));

		it('more than eight finished steps that were there from the start', async () => {
			await show({ steps: [...finished(5), ...finished(4, { kind: 'search' }), ...finished(3, { kind: 'execute' })] });
			assert.deepEqual(await flow(), ['chat-fold: 12 steps: 5 files read, 4 searches, 3 commands']);
			await button(/^12 steps/).click();
			assert.equal(await chat.page.locator('chat-fold chat-step').count(), 12);
		});

		it('but leaves eight steps as they are', async () => {
			await show({ steps: finished(8) });
			assert.equal(await chat.page.locator('chat-fold').count(), 0);
		});

		it('but no step that runs, has failed or was refused', async () => {
			const { endedAt: _, ...running } = stepView({ state: 'running', title: 'Runs' });
			const failed = stepView({ state: 'failed', title: 'Failed' });
			const refused = stepView({ title: 'Refused', approval: { state: 'no' } });
			await show({ steps: [...finished(9), failed, ...finished(9), refused, ...finished(9), running] }, STREAMING);
			const nine = 'chat-fold: 9 steps: 9 files read';
			assert.deepEqual(await flow(), [nine, 'chat-step: Failed', nine, 'chat-step: Refused', nine, 'chat-step: Runs']);
		});

		it('nothing that the reader has unfolded, and stays unfolded itself', async () => {
			const steps = finished(9, { hasOutput: true });
			const turn = await show({ steps }, STREAMING);
			await button(/^9 steps/).click();
			const { endedAt: _, ...running } = stepView({ state: 'running', title: 'Opened', hasOutput: true });
			await setStep(turn, running);
			await button(/Opened/).click();
			await chat.answer('step-request', 'Its output');
			await setStep(turn, { ...running, state: 'done' });
			for (const step of finished(3)) {
				await setStep(turn, step);
			}
			assert.deepEqual(await flow(), [
				'chat-fold: 9 steps: 9 files read',
				'chat-step: Opened',
				'chat-fold: 3 steps: 3 files read',
			]);
			await chat.page.getByText('Its output').waitFor();
			assert.equal(await chat.page.locator('chat-fold').first().locator('chat-step').first().isVisible(), true);
		});

		it('and says how many steps are not kept', async () => {
			await show({ steps: finished(1), further: 1_200 });
			await chat.page.getByText('1,200 more steps aren’t listed.').waitFor();
		});
	});

	describe('unfolds', () => {
		it('a command to itself and to its output, which scrolls inside and leaves the line where it is', async () => {
			const steps = usualSteps();
			await show({ steps }, ENDED, { height: 1_300 });
			const command = button(/npm test -- auth.*Failed/);
			const before = (await command.boundingBox())?.y;
			await command.click();
			assert.deepEqual(await chat.waitForPosted('step-request').then(({ step }) => step), steps[4]?.id);
			await chat.answer('step-request', OUTPUT);
			const output = chat.page.getByRole('group', { name: 'Output' });
			const text = (await output.textContent()) ?? '';
			assert.ok(text.includes('✔ a token that ends in a second is taken (1.2 ms)'), 'colours are left out');
			const { height = 0 } = (await output.boundingBox()) ?? {};
			assert.ok(height > 100 && height < 400, `${height}`);
			assert.ok(
				await output.evaluate(box => box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 1),
			);
			assert.equal(await chat.page.locator('chat-step-details .command').textContent(), 'npm test -- auth');
			assert.equal((await command.boundingBox())?.y, before);
			await command.click();
			await output.waitFor({ state: 'hidden' });
			await command.click();
			await output.waitFor();
			assert.equal((await posted('step-request')).length, 1);
		});

		it('what is at the end of the view so that it can be seen', async () => {
			await show({
				steps: [
					...Array.from({ length: 30 }, () => stepView({ state: 'failed' })),
					stepView({ title: 'Last', hasOutput: true }),
				],
			});
			await button(/Last/).click();
			await chat.answer('step-request', OUTPUT);
			await waitFor('the output to be in view', async () => {
				const [output, log] = await Promise.all(
					['.output', '.log'].map(selector =>
						chat.page.locator(selector).evaluate(box => box.getBoundingClientRect().bottom),
					),
				);
				return (output ?? 0) <= (log ?? 0) + 1;
			});
		});

		it('what is further up without following the end', async () => {
			const failed = Array.from({ length: 40 }, () => stepView({ state: 'failed' }));
			const places = { title: 'Searched', locations: [{ path: 'a.ts' }, { path: 'b.ts' }] };
			const turn = await show({ steps: failed.toSpliced(34, 0, stepView(places)) }, STREAMING);
			const searched = button(/Searched/);
			const before = (await searched.boundingBox())?.y;
			await searched.click();
			await button('b.ts').waitFor();
			assert.equal((await searched.boundingBox())?.y, before);
			await setStep(turn, stepView({ state: 'failed' }));
			assert.equal((await searched.boundingBox())?.y, before);
			await button('Scroll to End').click();
			await setStep(turn, stepView({ state: 'failed', title: 'The end' }));
			await line('The end').waitFor();
			assert.notEqual((await searched.boundingBox())?.y, before);
		});

		it('the output anew when the step has moved on, and says when there is none or none came', async () => {
			const { endedAt: _, ...running } = stepView({
				state: 'running',
				title: 'npm test',
				command: 'npm test',
				hasOutput: true,
			});
			const turn = await show({ steps: [running] }, STREAMING);
			await button(/npm test/).click();
			await chat.answer('step-request', 'half');
			await chat.page.getByText('half').waitFor();
			await setStep(turn, { ...running, state: 'done' });
			await waitFor('the second request', async () => (await posted('step-request')).length === 2);
			assert.equal(await chat.page.getByText('half').isVisible(), true);
			await chat.answer('step-request', 'half and the rest');
			await chat.page.getByText('half and the rest').waitFor();
			await setStep(turn, { ...running, state: 'failed' });
			await waitFor('the third request', async () => (await posted('step-request')).length === 3);
			await chat.answer('step-request', undefined);
			await chat.page.getByText('The output is no longer available.').waitFor();
			await setStep(turn, { ...running, state: 'stopped' });
			await waitFor('the fourth request', async () => (await posted('step-request')).length === 4);
			await chat.fail('step-request', 'No answer came.');
			await chat.page.getByText('No answer came.').waitFor();
		});

		it('places and changes that open in the editor', async () => {
			const diffs = ['src/a.ts', 'src/b.ts'].map(path => ({ path, isNew: false, added: 3, removed: 0 }));
			const steps = [
				stepView({
					kind: 'search',
					title: 'Searched',
					locations: [{ path: 'src/a.ts', line: 7 }, { path: 'src/c.ts' }],
				}),
				stepView({ kind: 'edit', title: 'Edited', diffs, locations: [{ path: 'src/a.ts' }, { path: 'docs.md' }] }),
			];
			const turn = await show({ steps });
			await button(/Searched/).click();
			await button('src/c.ts').click();
			const [searched, edited] = steps.map(({ id }) => id);
			assert.deepEqual(await posted('step-place-open'), [
				{ kind: 'step-place-open', turn: turn.id, step: searched, index: 1 },
			]);
			await button(/Edited.*6 lines added/).click();
			await button('src/b.ts').click();
			assert.deepEqual(await posted('step-diff-open'), [
				{ kind: 'step-diff-open', turn: turn.id, step: edited, index: 1 },
			]);
			await button('docs.md').click();
			assert.deepEqual((await posted('step-place-open')).at(-1), {
				kind: 'step-place-open',
				turn: turn.id,
				step: edited,
				index: 1,
			});
		});

		it('nothing where there is one thing to open, which opens at once', async () => {
			const turn = await show({ steps: usualSteps() }, ENDED);
			await button(/Edit src\/auth\.ts.*Open Diff/).click();
			const { step } = await chat.waitForPosted('step-diff-open');
			assert.equal(step, turn.reply.work?.steps[2]?.id);
			await button(/Read src\/auth\.ts.*Open File/).click();
			await chat.waitForPosted('step-place-open');
		});
	});

	it('offers the files as of each step that has changed some, beside what a press on its line opens', async () => {
		const turn = await show({ steps: usualSteps() }, ENDED);
		const act = button('Files as of “Edit src/auth.ts”…');
		const place = () => line('Edit src/auth.ts').locator('.results').boundingBox();
		assert.equal(await chat.page.getByRole('button', { name: /^Files as of/ }).count(), 2);
		await button(/Edit src\/auth\.ts.*Open Diff/).focus();
		const before = await place();
		await chat.page.keyboard.press('Tab');
		assert.equal(await act.evaluate(element => element.matches(':focus')), true);
		await waitFor('it to be seen', () => act.evaluate(element => getComputedStyle(element).opacity === '1'));
		assert.deepEqual(await place(), before, 'nothing has moved');
		await chat.page.keyboard.press('Enter');
		const { step } = await chat.waitForPosted('step-act');
		assert.equal(step, turn.reply.work?.steps[2]?.id);
		const { hasStates: _, ...gone } = turn.reply.work?.steps[2] ?? assert.fail();
		await setStep(turn, gone);
		await act.waitFor({ state: 'detached' });
	});

	it('shows what was allowed, what was not and why, in words', async () => {
		const states = {
			no: undefined,
			unanswered: undefined,
			refused: 'it is outside of the folder',
			setting: undefined,
		} as const;
		const steps = Object.entries(states).map(([state, reason]) =>
			stepView({
				title: `Step ${state}`,
				state: state === 'setting' ? 'done' : 'failed',
				approval: { state: state as keyof typeof states, ...(reason === undefined ? {} : { reason }) },
			}),
		);
		await show({ steps }, {}, { width: 800 });
		const words = async (title: string) => (await line(title).innerText()).replace(/\s+/g, ' ');
		assert.match(await words('Step no'), /Not allowed$/);
		assert.match(await words('Step unanswered'), /Not allowed: no answer$/);
		assert.match(await words('Step refused'), /Not allowed: it is outside of the folder$/);
		assert.match(await words('Step setting'), /Allowed by your setting$/);
	});

	it('has a plan on one line, which stays current, unfolds and is read out whole', async () => {
		const turn = await show({ plan: PLAN }, STREAMING, { width: 800 });
		const plan = button('Plan: 1 of 3 done, now: Compare milliseconds with milliseconds');
		await plan.click();
		const entries = await chat.page.getByRole('list', { name: 'Plan' }).getByRole('listitem').allInnerTexts();
		assert.deepEqual(
			entries.map(entry => entry.match(/[\w ]{2,}/g)?.join(': ')),
			['Done: Find where expiry is compared', 'Now: Compare milliseconds with milliseconds', 'To do: Run the tests'],
		);
		const work = { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true } as const;
		const done = PLAN.map(({ content }) => ({ content, status: 'completed' as const }));
		await chat.changes({ kind: 'work-set', turn: turn.id, work: { ...work, plan: done } });
		assert.equal(await button('Plan: 3 of 3 done').getAttribute('aria-expanded'), 'true');
	});

	it('ends with a plan that is put into the composer, where it was to plan alone', async () => {
		const turn = await show({ isPlan: true, approvals: 'ask' }, { ...ENDED, text: '1. Change it.' });
		await chat.page.getByText('Plans only').waitFor();
		await button('Edit and Start Plan').click();
		assert.deepEqual(await posted('work-plan-use'), [{ kind: 'work-plan-use', turn: turn.id }]);
		await show({ isPlan: true }, { ...STREAMING, text: '1. Change' });
		assert.equal(await button('Edit and Start Plan').count(), 0);
	});

	describe('ends with its changes', () => {
		it('which are compared and taken, all or one by one', async () => {
			const turn = await show({ changes: CHANGES }, ENDED, { height: 900 });
			await button('Compare').click();
			await button('Take Changes').click();
			await button('5 files changed').click();
			assert.equal(await chat.page.getByRole('list', { name: 'Changed files' }).getByRole('listitem').count(), 5);
			await button(/^Modified: src\/auth\.ts.*2 lines added.*1 line removed/).click();
			await button(/^Modified: src\/auth\.ts/).hover();
			await button('Take src/auth.ts').click();
			await button(/^Added: test\/auth\.test\.ts/).hover();
			await button('Undo test/auth.test.ts').click();
			const file = 'src/auth.ts';
			assert.deepEqual(
				(await chat.posted()).filter(({ kind }) => kind.startsWith('work-')),
				[
					{ kind: 'work-compare', turn: turn.id },
					{ kind: 'work-take', turn: turn.id },
					{ kind: 'work-compare', turn: turn.id, file },
					{ kind: 'work-take', turn: turn.id, file },
					{ kind: 'work-undo', turn: turn.id, file: 'test/auth.test.ts' },
				],
			);
		});

		it('of which not all are listed', async () => {
			const turn = await show({ changes: { ...CHANGES, count: 812, left: 811 } }, ENDED);
			await button('Take Changes').click();
			await button('812 files changed').click();
			await chat.page.getByText('807 more files aren’t listed. Select Compare to see them.').waitFor();
			await button(/^Modified: README\.md/).hover();
			await button('Take README.md').click();
			assert.deepEqual(await posted('work-take'), [
				{ kind: 'work-take', turn: turn.id },
				{ kind: 'work-take', turn: turn.id, file: 'README.md' },
			]);
		});

		it('and says so when all of them are taken, and takes them back', async () => {
			const files = CHANGES.files.map(file => ({ ...file, isTaken: true as const }));
			const turn = await show({ changes: { ...CHANGES, files, left: 0 } }, ENDED);
			await button('5 files changed in your files').click();
			assert.equal(await button('Take Changes').count(), 0);
			await button('Undo Turn').click();
			await button(/^Modified: README\.md/).hover();
			await button('Undo README.md').click();
			assert.deepEqual(await posted('work-undo'), [
				{ kind: 'work-undo', turn: turn.id },
				{ kind: 'work-undo', turn: turn.id, file: 'README.md' },
			]);
		});
	});

	it('shows titles that were made to deceive as what they are', async () => {
		await show({ steps: HOSTILE_TITLES.map(title => stepView({ title })) }, {}, { width: 300 });
		const titles = await chat.page.locator('chat-step .title').allTextContents();
		assert.equal(titles[0], HOSTILE_TITLES[0]);
		assert.match(titles[2] ?? '', /^Read U\+202Esrc\/evilU\+202C\.ts U\+0007/);
		assert.equal(await chat.page.locator('chat-step img, chat-step a').count(), 0);
		const long = line('a-very-long-name');
		assert.equal(await long.locator('.title').getAttribute('title'), HOSTILE_TITLES[1]);
		assert.equal((await long.boundingBox())?.height, 24);
	});

	it('keeps a right-to-left title from turning what stands beside it', async () => {
		const title = 'קריאה של auth.ts';
		await show({
			steps: [stepView({ kind: 'execute', title, state: 'failed' })],
		});
		const [words, result] = await Promise.all(
			['.title', '.results'].map(part => chat.page.locator(`chat-step ${part}`).boundingBox()),
		);
		assert.ok(words && result && words.x + words.width <= result.x);
	});
});
