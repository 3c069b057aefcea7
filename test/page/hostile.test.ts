import assert from 'node:assert/strict';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { longestTask } from '../ui/taskTimes.ts';

/** A reply that is made to be slow: `head`, then `piece` so many times, then `tail`. */
interface Heavy {
	head?: string;
	piece: string;
	count: number;
	tail?: string;
}

const HEAVY: Record<string, Heavy> = {
	'10,000 nested quotes': { piece: '> ', count: 10_000, tail: 'deep' },
	'quotes nested deeper from line to line': { piece: `${'> '.repeat(300)}x\n`, count: 800 },
	'10,000 nested lists in a line': { piece: '- ', count: 10_000, tail: 'deep' },
	'a line of 5 MB': { piece: 'word ', count: 1_000_000 },
	'a line of 5 MB without a space': { piece: 'x', count: 5_000_000 },
	'code of one line of 5 MB': { head: '```js\n', piece: 'f(x);', count: 1_000_000 },
	'a table of 500 columns': {
		head: `${'a|'.repeat(500)}\n${'-|'.repeat(500)}\n`,
		piece: `${'b|'.repeat(500)}\n`,
		count: 200,
	},
	'a table of 20,000 rows': { head: 'a|b\n-|-\n', piece: 'c|d\n', count: 20_000 },
	'a list of 100,000 empty items': { piece: '-\n', count: 100_000 },
	'brackets that nobody closes': { piece: '[', count: 50_000 },
	'images that nobody closes': { piece: '![', count: 50_000 },
	'links whose end never comes': { piece: '[a](<b', count: 20_000 },
	'emphasis that nobody closes': { piece: '*a **b ', count: 20_000 },
	'code spans that nobody closes': { piece: '`a ``b ```c ', count: 10_000 },
	'entities and escapes': { piece: '&amp;\\*&#x41;', count: 40_000 },
	'100,000 rules': { piece: '---\n', count: 100_000 },
	'many short paragraphs': { piece: 'a\n\n', count: 100_000 },
	'definitions and their uses': { piece: '[a]: https://a.example/x\n\n[a] [b]\n\n', count: 10_000 },
};

/** Lists that nest, each a line of its own. */
const DEEP_LIST = Array.from({ length: 500 }, (_, depth) => `${'  '.repeat(depth)}- item`).join('\n');

/** Milliseconds that the page may be busy with one task: far above what any takes, far below what reading anew takes. */
const LONGEST_TASK = 500;

describe('a reply that is made to be slow', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	beforeEach(() => open());

	/** Gives the longest task, in milliseconds, until all is shown. */
	const show = async (heavy: Heavy): Promise<number> => {
		const turn = turnView({ text: '', state: 'streaming' });
		await chat.snapshot([turn]);
		return chat.page.evaluate(
			async ({ turn, heavy: { head = '', piece, count, tail = '' } }) => {
				let longest = 0;
				const observer = new PerformanceObserver(list => {
					longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
				});
				const text = head + piece.repeat(count) + tail;
				const half = Math.floor(text.length / 2);
				await new Promise(resolve => setTimeout(resolve, 100));
				observer.observe({ type: 'longtask' });
				const post = (sequence: number, change: unknown) =>
					window.postMessage({ kind: 'turns-change', sequence, changes: [change] }, '*');
				const frames = async (wanted: number) => {
					for (let count = 0; count < wanted; count++) {
						await new Promise(resolve => requestAnimationFrame(resolve));
					}
				};
				post(1, { kind: 'text-append', turn: turn.id, text: text.slice(0, half) });
				await frames(3);
				post(2, { kind: 'text-append', turn: turn.id, text: text.slice(half) });
				await frames(3);
				post(3, { kind: 'turn-set', turn: { ...turn, reply: { ...turn.reply, text, state: 'done' } } });
				const log = document.querySelector('chat-app')?.shadowRoot?.querySelector('.log');
				for (let quiet = 0, height = -1; quiet < 20; ) {
					await frames(1);
					quiet = log?.scrollHeight === height ? quiet + 1 : 0;
					height = log?.scrollHeight ?? 0;
				}
				return longest;
			},
			{ turn, heavy },
		);
	};

	for (const [name, heavy] of Object.entries({ ...HEAVY, 'lists nested 500 deep': { piece: DEEP_LIST, count: 1 } })) {
		it(`keeps the page responsive: ${name}`, async () => {
			let longest = await show(heavy);
			if (longest > LONGEST_TASK) {
				// Other work on the machine lengthens a task, but not its processor time, which takes more to measure.
				await open();
				({ cpu: longest } = await longestTask(chat.page, () => show(heavy)));
			}
			assert.ok(longest <= LONGEST_TASK, `a task took ${longest} ms`);
			await chat.page.getByRole('textbox').fill('Still here');
			assert.equal(await chat.page.getByRole('textbox').inputValue(), 'Still here');
		});
	}
});
