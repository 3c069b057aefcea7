import assert from 'node:assert/strict';
import type { StepView, WorkView } from '../../src/chat/protocol/workProtocol.ts';
import { agentTurn, QUESTION, stepView, waitingView } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import type { PageOptions } from '../ui/testPage.ts';

const COMMAND = 'cat "$file" >> all.txt\u202e # txt.exe\n\tcurl https://a.example/\u200b?\u200dx\r\u0007';

describe('the question of an agent', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const box = () => chat.page.locator('chat-approval .box');
	const button = (name: string) => box().getByRole('button', { name });
	const textarea = () => chat.page.locator('chat-composer textarea');
	const answers = async () =>
		(await chat.posted()).flatMap(message => (message.kind === 'step-answer' ? [message.answer] : []));
	const isFocused = (what: ReturnType<typeof box>) =>
		what.evaluate(element => (element.getRootNode() as ShadowRoot).activeElement === element);
	const words = async (what: ReturnType<typeof box>) => (await what.innerText()).replace(/\s+/g, ' ').trim();

	/** Shows a turn that works, and then the question. */
	const ask = async (step: StepView = waitingView(), work: Partial<WorkView> = {}, options?: PageOptions) => {
		await open(options);
		const turn = agentTurn({ steps: [stepView()], ...work }, { state: 'streaming' });
		await chat.snapshot([turn], { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } });
		const asks = () => chat.changes({ kind: 'step-set', turn: turn.id, step });
		return { turn, step, asks };
	};
	const asked = async (...given: Parameters<typeof ask>) => {
		const { asks, ...others } = await ask(...given);
		await asks();
		return others;
	};
	const withApproval = (step: StepView, approval: NonNullable<StepView['approval']>): StepView => ({
		...step,
		approval,
	});

	/** Makes the page press “Allow Once” as soon as it is there, because a test may see it later than half a second after. */
	const pressAtOnce = () =>
		chat.page.evaluate(() => {
			const within = (root: ParentNode): HTMLButtonElement | null =>
				root.querySelector<HTMLButtonElement>('button[name="once"]') ??
				[...root.querySelectorAll('*')].reduce<HTMLButtonElement | null>(
					(found, element) => found ?? (element.shadowRoot && within(element.shadowRoot)),
					null,
				);
			const press = () => {
				const early = within(document);
				early?.click();
				if (!early) {
					requestAnimationFrame(press);
				}
			};
			press();
		});

	describe('shows', () => {
		it('the exact command, with every character that would hide or turn something', async () => {
			await asked(waitingView({ command: COMMAND, title: 'Look around' }));
			await box().getByRole('heading', { name: 'Run this command?' }).waitFor();
			const command = box().locator('.command');
			assert.equal(
				await command.textContent(),
				'cat "$file" >> all.txtU+202E # txt.exe\n\tcurl https://a.example/U+200B?U+200DxU+000DU+0007',
			);
			assert.deepEqual(await command.locator('.control').allTextContents(), [
				'U+202E',
				'U+200B',
				'U+200D',
				'U+000D',
				'U+0007',
			]);
			assert.match(await words(box()), /Look around/);
		});

		it('every line of a long command', async () => {
			const command = Array.from({ length: 60 }, (_, index) => `echo ${index} ${'x'.repeat(200)}`).join('\n');
			await asked(waitingView({ command, title: 'Long' }), {}, { width: 300 });
			const [whole, shown] = await box()
				.locator('.command')
				.evaluate(pre => [pre.scrollHeight, pre.clientHeight]);
			assert.equal(whole, shown);
		});

		it('where it would run, and that there is no sandbox', async () => {
			await asked();
			assert.match(await words(box()), /Runs in a copy of ~\/widgets, in a sandbox without network access\./);
			await asked(waitingView(), { isSandboxed: false });
			assert.match(await words(box()), /Runs in a copy of ~\/widgets, without a sandbox\./);
		});

		it('who gets a page, and what more a yes to a search allows', async () => {
			const { command: _, ...step } = waitingView({ kind: 'fetch', title: 'Search the web for "nine"' });
			await asked(withApproval(step, { state: 'waiting', question: QUESTION, input: '{"query":"nine"}' }));
			assert.match(await words(box()), /a sandbox without network access, so only Errand can get this for it\./);
			const hint = await button('Allow in This Conversation').getAttribute('title');
			assert.equal(hint, 'Allows all web searches in this conversation.');
		});

		it('a change line by line with its signs, says that it is cut, and opens it in the editor', async () => {
			const { command: _, ...step } = waitingView({ kind: 'edit', title: 'Edit a.ts' });
			const change = { path: 'src/a.ts', isNew: false, isCut: true } as const;
			const lines = [
				{ kind: 'same', text: 'same' },
				{ kind: 'removed', text: 'old' },
				{ kind: 'added', text: 'new\u202e' },
			] as const;
			const { turn } = await asked(
				withApproval(step, { state: 'waiting', question: QUESTION, changes: [{ ...change, lines: [...lines] }] }),
			);
			await box().getByRole('heading', { name: 'Change this file?' }).waitFor();
			assert.equal(await box().locator('.lines').textContent(), '  same\n− old\n+ newU+202E\n');
			assert.match(await words(box()), /Only the beginning is shown\. Open the diff to see all of it\./);
			await button('Open Diff of src/a.ts').click();
			assert.deepEqual(await chat.waitForPosted('step-diff-open'), {
				kind: 'step-diff-open',
				turn: turn.id,
				step: step.id,
				index: 0,
			});
		});

		it('the rule that a yes for the conversation makes, or that the file decides what runs', async () => {
			await asked(waitingView({ approval: { state: 'waiting', question: QUESTION, rule: 'npm test …' } }));
			await box().getByRole('button', { name: 'Allow npm test … Here' }).waitFor();
			assert.match(await box().innerText(), /Applies in this conversation, .* but not with other options/);
			const changes = [{ path: '.github/workflows/a.yml', isNew: true, isCut: false, lines: [] }];
			const { command: _, ...step } = waitingView({ kind: 'edit', title: 'Write a.yml' });
			await asked(withApproval(step, { state: 'waiting', question: QUESTION, decides: 'hidden', changes }));
			await box().getByText('This file may control editors, shells and other programs.').waitFor();
			await box().getByRole('button', { name: 'Allow This File Here' }).waitFor();
		});

		it('what a tool is called with, or at least its places, or that nothing is known', async () => {
			const { command: _, ...step } = waitingView({ kind: 'other', title: 'create_issue' });
			await asked(withApproval(step, { state: 'waiting', question: QUESTION, input: '{"title":"a\\u202eb"}' }));
			await box().getByRole('heading', { name: 'Allow this?' }).waitFor();
			assert.equal(await box().locator('.input').textContent(), 'title: aU+202Eb');
			await asked(
				withApproval(step, { state: 'waiting', question: QUESTION, input: JSON.stringify({ a: 'b\nc: d', n: [1] }) }),
			);
			assert.equal(await box().locator('.input').textContent(), 'a: "b\\nc: d"\nn: [1]');
			const long = 'a'.repeat(20_000);
			await asked(withApproval(step, { state: 'waiting', question: QUESTION, input: JSON.stringify({ long }) }));
			assert.equal((await box().locator('.input').textContent())?.includes(long), true);
			await asked({ ...step, kind: 'delete', locations: [{ path: '.env' }] });
			await box().getByRole('heading', { name: 'Delete this?' }).waitFor();
			assert.match(await words(box()), /\.env/);
			await asked(step);
			await box().getByText('The agent doesn’t say exactly what it would do.').waitFor();
		});
	});

	it('is a new one, that no press for the one before answers, where the same step is asked about again', async () => {
		const { turn, step } = await asked();
		await button('No').click();
		await box().waitFor({ state: 'hidden' });
		const question = 'f0000000-0000-4000-8000-000000000002';
		await pressAtOnce();
		await chat.changes({
			kind: 'step-set',
			turn: turn.id,
			step: { ...withApproval(step, { state: 'waiting', question }), command: 'rm -rf .' },
		});
		await box().getByText('rm -rf .').waitFor();
		await button('Allow Once').and(chat.page.locator(':enabled')).click();
		const posted = (await chat.posted()).filter(message => message.kind === 'step-answer');
		assert.deepEqual(
			posted.map(message => [message.question, message.answer]),
			[
				[QUESTION, 'no'],
				[question, 'once'],
			],
		);
	});

	it('shows what else a command is called with', async () => {
		const input = JSON.stringify({ cwd: '/elsewhere', env: { NODE_OPTIONS: '--require ./evil.js' } });
		await asked({ ...waitingView(), approval: { state: 'waiting', question: QUESTION, input } });
		assert.match(await words(box()), /npm test -- auth.*NODE_OPTIONS.*evil\.js/);
	});

	describe('is answered', () => {
		for (const [name, answer] of [
			['Allow Once', 'once'],
			['Allow in This Conversation', 'conversation'],
			['No', 'no'],
		] as const) {
			it(`with ${name}, once, and is a line at once that claims nothing`, async () => {
				const { turn, step } = await asked();
				await button(name).click();
				await box().waitFor({ state: 'hidden' });
				const line = chat.page.locator('chat-step .line').last();
				assert.match(await words(line), /Answered$/);
				assert.deepEqual(
					(await chat.posted()).filter(({ kind }) => kind === 'step-answer'),
					[{ kind: 'step-answer', turn: turn.id, question: QUESTION, answer }],
				);
				assert.equal(await isFocused(textarea()), true);
				const state = answer === 'no' ? { state: 'failed' as const } : { state: 'running' as const };
				await chat.changes({
					kind: 'step-set',
					turn: turn.id,
					step: { ...withApproval(step, { state: answer }), ...state },
				});
				assert.match(await words(line), answer === 'no' ? /Not allowed/ : /Allowed/);
			});
		}

		it('only for once where that is all that can be said', async () => {
			await asked(waitingView({}, true));
			assert.deepEqual(await box().getByRole('button').allInnerTexts(), ['Allow Once', 'No']);
		});

		it('with the keyboard alone', async () => {
			const { asks } = await ask();
			await textarea().focus();
			await asks();
			assert.equal(await isFocused(box()), true);
			await button('Allow Once').isEnabled();
			await chat.page.waitForFunction(() => {
				const turn = document.querySelector('chat-app')?.shadowRoot?.querySelector('chat-turn')?.shadowRoot;
				const step = turn?.querySelector('chat-work')?.shadowRoot?.querySelector('chat-step[waiting]')?.shadowRoot;
				return step?.querySelector('chat-approval')?.shadowRoot?.querySelector('button:disabled') === null;
			});
			await chat.page.keyboard.press('Tab');
			assert.equal(await isFocused(button('Allow Once')), true);
			await chat.page.keyboard.press('Enter');
			assert.deepEqual(await answers(), ['once']);
		});
	});

	describe('is not answered with yes', () => {
		it('by a press in its first half second', async () => {
			const { asks } = await ask();
			await pressAtOnce();
			await asks();
			await button('Allow Once').and(chat.page.locator(':enabled')).waitFor();
			assert.deepEqual(await answers(), []);
			await button('Allow Once').click();
			assert.deepEqual(await answers(), ['once']);
		});

		it('by a key that was down before', async () => {
			const { asks } = await ask();
			await textarea().focus();
			await chat.page.keyboard.down('Enter');
			await asks();
			await button('Allow Once').and(chat.page.locator(':enabled')).waitFor();
			for (let count = 0; count < 3; count++) {
				await chat.page.keyboard.down('Enter');
			}
			await button('Allow Once').focus();
			for (let count = 0; count < 3; count++) {
				await chat.page.keyboard.down('Enter');
			}
			assert.deepEqual(await answers(), []);
			await chat.page.keyboard.up('Enter');
			await chat.page.keyboard.press('Enter');
			assert.deepEqual(await answers(), ['once']);
		});

		it('by the second click of a double click', async () => {
			await asked();
			await button('Allow Once').and(chat.page.locator(':enabled')).waitFor();
			await button('Allow Once').dispatchEvent('click', { detail: 2 });
			assert.deepEqual(await answers(), []);
		});

		it('by Enter or Space on the box itself', async () => {
			await asked();
			await button('Allow Once').and(chat.page.locator(':enabled')).waitFor();
			await box().focus();
			await chat.page.keyboard.press('Enter');
			await chat.page.keyboard.press('Space');
			assert.deepEqual(await answers(), []);
			assert.equal(await box().isVisible(), true);
		});
	});

	describe('takes the focus', () => {
		it('but not while the user is writing', async () => {
			const { asks } = await ask();
			await textarea().fill('half a sen');
			await asks();
			await box().waitFor();
			assert.equal(await isFocused(textarea()), true);
			await chat.page.keyboard.type('tence');
			assert.equal(await textarea().inputValue(), 'half a sentence');
		});

		it('and gets it when the chat is focused, as long as the composer is empty', async () => {
			await asked();
			await textarea().focus();
			await chat.send({ kind: 'composer-focus', request: 'r1', takesIt: true });
			assert.equal(await isFocused(box()), true);
			await textarea().fill('words');
			await chat.send({ kind: 'composer-focus', request: 'r2', takesIt: true });
			assert.equal(await isFocused(textarea()), true);
		});

		it('in a group that is named after it, whose buttons come next', async () => {
			await asked();
			const group = chat.page.getByRole('group', { name: 'Run this command?' });
			await group.waitFor();
			assert.match((await group.getAttribute('aria-describedby')) ?? '', /subject place/);
			assert.equal(await box().getAttribute('tabindex'), '0');
		});
	});

	it('is named where the reader is further up, and a press leads to it', async () => {
		const { asks } = await ask(waitingView(), {
			steps: Array.from({ length: 60 }, () => stepView({ state: 'failed' })),
		});
		await textarea().fill('words');
		await chat.wheel(-600);
		await asks();
		const back = chat.page.getByRole('button', { name: 'Waiting for your answer' });
		await back.click();
		assert.equal(await isFocused(box()), true);
		await back.waitFor({ state: 'hidden' });
	});

	it('is announced at once, with what it is about, where the focus does not go to it', async () => {
		const { asks } = await ask();
		await textarea().fill('half a sen');
		await asks();
		const urgent = chat.page.locator('[aria-live="assertive"]');
		assert.equal(await urgent.innerText(), 'Errand asks: Run this command? npm test -- auth');
		await asks();
		assert.equal(await urgent.locator('div').count(), 1);
	});

	it('leaves nothing to answer when the turn is over', async () => {
		const { turn, step } = await asked();
		const ended: StepView = { ...withApproval(step, { state: 'unanswered' }), state: 'stopped' };
		const { work } = turn.reply;
		assert.ok(work);
		await chat.change({
			...turn,
			reply: { ...turn.reply, state: 'stopped', work: { ...work, steps: [...work.steps, ended] } },
		});
		assert.equal(await box().count(), 0);
		assert.match(await words(chat.page.locator('chat-step .line').last()), /Not allowed/);
		assert.equal(await isFocused(textarea()), true);
	});
});
