import assert from 'node:assert/strict';
import highlightJs from 'highlight.js';
import { LANGUAGE_NAMES } from '../../src/chat/ui/markdown/languageNames.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { fence, HOSTILE_CODE } from '../ui/hostileCode.ts';
import { longestTask } from '../ui/taskTimes.ts';

/**
 * Milliseconds of the page's own work in one task: far above what any takes on a quiet machine, where the bench wants
 * 50, and far below what colouring on the page takes.
 */
const LONGEST_TASK = 250;
const ATTEMPTS = 3;
const LANGUAGES_AT_ONCE = 4;

const SAMPLE = `import { readFile } from 'node:fs/promises';

/** Says <b>how many</b> & why. */
export async function count(path: string, pattern = /[a-z]+/gi): Promise<number> {
	const text = await readFile(path, "utf8");
	// TODO: 0x1f, 1_000 and null
	return text.match(pattern)?.length ?? -1;
}
`;

describe('code in the chat page', function () {
	this.timeout(600_000);
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	beforeEach(() => open());

	const block = () => chat.page.locator('pre code').last();
	const spans = () => chat.page.locator('pre .lines span').count();
	const show = (...texts: string[]) => chat.snapshot(texts.map(text => turnView({ text })));
	const code = (language: string, text: string) => `~~~${language}\n${text}~~~\n`;

	/** The longest task until all code has its colours, of the quietest of some attempts. */
	async function longest(texts: string[]): Promise<number> {
		let found = Number.POSITIVE_INFINITY;
		for (let attempt = 0; attempt < ATTEMPTS && found > LONGEST_TASK; attempt++) {
			if (attempt > 0) {
				await open();
			}
			const { cpu } = await longestTask(chat.page, async () => {
				await show(...texts);
				await chat.coloured();
			});
			found = Math.min(found, cpu);
		}
		return found;
	}

	it('does not stop the page where it is made to be slow, stays plain then, and colours the code of other replies', async () => {
		const hostile = fence({ language: 'markdown', unit: '[a](', size: 11_960 });
		const found = await longest([`${hostile}\n${code('ts', SAMPLE)}`, code('ts', SAMPLE)]);
		assert.ok(found <= LONGEST_TASK, `a task took ${found} ms`);
		const blocks = chat.page.locator('pre code');
		const counts = await blocks.evaluateAll(all => all.map(code => code.querySelector('.lines span') !== null));
		assert.deepEqual(counts, [false, false, true], 'what comes after it in the same reply stays plain too');
		await chat.page.getByRole('textbox').fill('Still here');
	});

	it('does not stop the page in any language', async () => {
		// All are shown in one page, whose worker then starts only once.
		for (let first = 0; first < LANGUAGE_NAMES.length; first += LANGUAGES_AT_ONCE) {
			const names = LANGUAGE_NAMES.slice(first, first + LANGUAGES_AT_ONCE);
			// The bench has all units in all sizes.
			const chosen = names.flatMap(name => HOSTILE_CODE.filter(({ language }) => language === name).slice(0, 1));
			const found = await longest(chosen.map(fence));
			assert.ok(found <= LONGEST_TASK, `a task took ${found} ms with ${names.join(', ')}`);
		}
	});

	it('has the colours of highlight.js, and keeps its text and its height', async () => {
		for (const name of LANGUAGE_NAMES) {
			await show(code(name, SAMPLE));
			const frame = chat.page.locator('.code').last();
			const before = await frame.boundingBox();
			await chat.coloured();
			const expected = highlightJs.highlight(SAMPLE, { language: name, ignoreIllegals: true }).value;
			const [html, wanted, text] = await block().evaluate((element, given) => {
				const copy = document.createElement('code');
				copy.innerHTML = given;
				const parts = [...element.children].map(part => part.innerHTML);
				return [parts.join(''), copy.innerHTML, element.textContent];
			}, expected);
			assert.equal(html, wanted, name);
			assert.equal(text, SAMPLE);
			assert.deepEqual(await frame.boundingBox(), before, name);
		}
	});

	it('is coloured to its end where it is long, whose pieces come one after another', async () => {
		const text = SAMPLE.repeat(150);
		const found = await longest([code('ts', text)]);
		assert.ok(found <= LONGEST_TASK, `a task took ${found} ms`);
		assert.equal(await block().evaluate(element => element.textContent), text);
		const keywords = await block().locator('.hljs-keyword').count();
		assert.equal(keywords % 150, 0);
		assert.ok(keywords >= 600);
	});

	it('keeps its lines where a colour goes over many parts of it, and so does a copy of what is selected', async () => {
		const lines = (count: number, line: string) => `${line}\n`.repeat(count);
		const text = `${lines(20, 'call(1);')}/* first\n${lines(80, ' * and on')} */ call(2); // and more\n${lines(40, 'call(3);')}`;
		await show(code('ts', text));
		const frame = chat.page.locator('.code').last();
		const before = await frame.boundingBox();
		await chat.coloured();
		assert.ok((await spans()) > 60);
		assert.deepEqual(await frame.boundingBox(), before);
		assert.equal(
			await block()
				.locator('.hljs-comment')
				.first()
				.evaluate(comment => comment.textContent?.length),
			9 + 80 * 10 + 3,
		);
		const selected = await block().evaluate(element => {
			const root = element.getRootNode() as unknown as Document;
			const selection = root.getSelection();
			selection?.selectAllChildren(element);
			return selection?.toString();
		});
		assert.equal(selected?.trimEnd(), text.trimEnd());
	});

	it('keeps what is selected in it, and the focus of its box', async () => {
		const text = `const first = ${'1 + '.repeat(700)}1;\n`;
		const turn = turnView({ text: code('ts', text), state: 'streaming' });
		await chat.snapshot([turn]);
		await chat.page.locator('pre').evaluate(pre => {
			pre.focus();
			const words = pre.querySelector('code')?.firstElementChild?.firstChild as Text;
			(pre.getRootNode() as unknown as Document).getSelection()?.setBaseAndExtent(words, 6, words, 11);
		});
		await chat.change({ ...turn, reply: { ...turn.reply, state: 'done' } });
		await chat.coloured();
		const kept = await chat.page.locator('pre').evaluate(pre => {
			const root = pre.getRootNode() as unknown as Document;
			return { selected: root.getSelection()?.toString(), isFocused: root.activeElement === pre };
		});
		assert.deepEqual(kept, { selected: 'first', isFocused: true });
		assert.equal(await block().evaluate(element => element.textContent), text);
		assert.equal(await block().locator('.hljs-keyword').count(), 0, 'the colours of these words are not worth it');
		assert.ok((await block().locator('.hljs-number').count()) >= 300, 'those of the others come');
	});

	it('loads nothing to colour it with before there is some in a language that it knows', async () => {
		const loaded: string[] = [];
		chat.page.on('request', request => loaded.push(new URL(request.url()).pathname));
		chat.page.on('worker', worker => loaded.push(worker.url()));
		await show(`Words, \`code\` and\n\n${code('', 'no name\n')}\n${code('mermaid', 'graph TD\n')}`);
		await chat.coloured();
		assert.deepEqual(loaded, []);
		await show(code('py', 'print(1)\n'));
		await chat.coloured();
		assert.ok(
			loaded.some(address => /highlight\.worker/.test(address)) && loaded.some(address => /^blob:/.test(address)),
		);
		assert.ok((await spans()) > 0);
		const { length } = loaded;
		await show(code('py', 'print(2)\n'), code('ts', SAMPLE));
		await chat.coloured();
		assert.equal(loaded.length, length, 'one worker does all');
	});

	it('stays plain where no worker can be had', async () => {
		await chat.page.evaluate(() => {
			Object.assign(window, {
				Worker: class {
					constructor() {
						throw new DOMException('Not here.', 'SecurityError');
					}
				},
			});
		});
		await show(code('ts', SAMPLE));
		await chat.coloured();
		assert.equal(await spans(), 0);
		assert.equal(await block().innerText(), SAMPLE);
	});
});
