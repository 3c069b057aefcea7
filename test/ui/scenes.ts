import { citationsOf, type Source } from '../../src/chat/model/citations.ts';
import type { ChipView, PromptView, ReplyView, TurnView } from '../../src/chat/protocol/protocol.ts';
import type { DetailsView, UseView } from '../../src/chat/protocol/settingsProtocol.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import type { NextTaskView } from '../../src/tasks/api.ts';
import { type ChatPage, turnView } from './chatPage.ts';

export const RICH = `The guard compares **seconds** with milliseconds, so every token looks valid for a thousand times as long. See [RFC 7519](https://www.rfc-editor.org/rfc/rfc7519) and \`src/auth.ts\`.

## What happens

1. \`exp\` comes in seconds.
2. \`Date.now()\` is in milliseconds.
   - nested item
   - another with a_long_identifier_that_does_not_break_anywhere_at_all_in_the_line
3. The comparison is always true.

\`\`\`ts
if (claims.exp * 1000 < Date.now()) { throw new ExpiredTokenError('The token expired, sign in again.', { cause: claims }); }
return claims;
\`\`\`

| file | change | lines |
|---|:-:|--:|
| \`src/auth.ts\` | compare in ms | 12 |
| \`test/unit/authentication/expiredTokens.test.ts\` | new | 148 |

> Tokens issued before the change keep working.

![diagram of the flow](https://example.com/a.png)`;

export const FACTS = {
	model: 'large-model',
	provider: 'provider-a',
	duration: 1_234,
	usage: { prompt: 812, cached: 340, completion: 214 },
};
const DETAILS: DetailsView = {
	asked: ['large-model', 'small-model'],
	digest: 'sha256:9f86d081884c7d65',
	serviceId: 'chatcmpl-7f3a91c2d4e5',
	created: 1_750_000_000,
	fingerprint: 'fp_9d24e6',
	nativeReason: 'end_turn',
	firstWord: 240,
	routing: { preset: 'cheapest', isPrivate: true, isLimited: false },
	routingFields: [
		['sort', 'price'],
		['data_collection', 'deny'],
		['zdr', 'true'],
	],
	parameters: [['temperature', '0.2']],
	retention: { inForce: 'yes', because: 'request' },
	tokens: [
		{
			token: 'Each',
			probability: 0.973,
			top: [
				['Each', 0.973],
				['Every', 0.021],
			],
		},
		{
			token: ' try',
			probability: 0.61,
			top: [
				[' try', 0.61],
				[' attempt', 0.33],
			],
		},
		{ token: '\n', probability: 0.08, top: [['.', 0.9]] },
	],
};
/** What the next task uses, with long names among them. */
export const NEXT_TASK: NextTaskView = {
	choices: [
		{ choice: 'prompt', name: 'In its editor: Write down what every file is f…' },
		{ choice: 'repository', name: 'harbour-authority-of-the-northern-islands' },
		{ choice: 'branch', name: 'feature/prices-with-two-digits-everywhere-also-abroad' },
		{ choice: 'agent', name: 'Errand, OpenCode' },
		{ choice: 'model', name: 'large-model, small-model-with-a-long-name' },
		{ choice: 'cost', name: 'Up to $2.50', hint: 'The maximum that each agent of a task can spend on models.' },
		{ choice: 'sandbox', name: 'Sandbox', hint: 'Agents run in a sandbox on this machine.' },
	],
};

export const USUAL_TASK: NextTaskView = {
	choices: [
		{ choice: 'repository', name: 'widgets' },
		{ choice: 'branch', name: 'main' },
		{ choice: 'agent', name: 'Errand' },
		{ choice: 'model', name: 'qwen3-coder:30b' },
		{ choice: 'cost', name: 'No cost limit' },
		{ choice: 'sandbox', name: 'Sandbox' },
	],
};

export const HINDERED_TASK: NextTaskView = {
	choices: [],
	problem: {
		message:
			'“widgets” isn’t a Git repository. Open the repository’s root folder, or run “Git: Initialize Repository”, then start the task.',
		action: 'Initialize Repository',
	},
};

/** The id of another version of a message. */
export const VERSION_ID = '00000000-0000-4000-8000-0000000000ff';

export const KEY_ERROR = {
	message: 'lab rejected the key: Incorrect API key provided.',
	action: { label: 'Change Key…', primary: true },
};

export const SEARCHED = `Tokens count **seconds** since 1970. The guard in \`src/auth.ts\` compares them with milliseconds 🔎 and so on.

- A list item says more.
- See https://www.rfc-editor.org/rfc/rfc7519 too.

\`\`\`ts
const now = Date.now();
\`\`\`
`;

/**
 * Sources as a service may send them: in any order, overlapping, within syntax and characters, and outside the text.
 */
export const SOURCES: Source[] = [
	{
		url: 'https://www.rfc-editor.org/rfc/rfc7519',
		title: 'JSON Web Token (JWT)',
		excerpt:
			'A NumericDate is the number of seconds from 1970-01-01T00:00:00Z UTC until the specified UTC date and time, ignoring leap seconds.',
		start: 0,
		end: SEARCHED.indexOf(' since'),
	},
	{
		url: 'https://developer.example/reference/date/now?language=en',
		title: 'Date.now(): milliseconds since the epoch, a title that is much longer than a narrow view is wide',
		excerpt: 'Returns milliseconds.',
		start: 20,
		end: SEARCHED.indexOf('🔎') + 1,
	},
	{ url: 'https://www.rfc-editor.org/rfc/rfc7519', start: 10, end: SEARCHED.indexOf('more') + 2 },
	{
		url: 'https://apple.example@evil.example/',
		title: 'Not what it says',
		start: 9,
		end: SEARCHED.indexOf('src/auth') + 3,
	},
	{ url: 'javascript:alert(1)', title: 'No address', start: 0, end: SEARCHED.indexOf('Date.now') + 3 },
	{ url: 'https://nowhere.example/', title: 'Without a place', start: 9_000, end: 9_100 },
];

export const IMAGE_FILE_NAME = 'a'.repeat(64);
export const IMAGE_ADDRESS = `data:image/png;base64,${demoImage('a fox').toString('base64')}`;

export const imageTurn = (reply: Partial<ReplyView>): TurnView =>
	turnView(
		{ text: '', canRetry: true, model: 'painter', duration: 4_200, ...reply },
		{ mode: 'image', question: 'A fox that reads the newspaper, in watercolour' },
	);

export const chip = (number: number, others: Partial<ChipView> = {}): ChipView => ({
	id: `d0000000-0000-4000-8000-00000000000${number}`,
	kind: 'file',
	label: `file${number}.ts`,
	path: `src/file${number}.ts`,
	length: 1_234,
	tokens: 353,
	...others,
});

export const INSTRUCTIONS = chip(5, {
	kind: 'instructions',
	label: 'AGENTS.md and 1 more',
	path: 'AGENTS.md\npackages/prices/AGENTS.md',
	notes: ['They’re sent with every message, before the conversation. The last file takes precedence.'],
});

export const CHIPS = [
	chip(1, { kind: 'selection', label: 'auth.ts:40-72', path: 'src/auth.ts' }),
	chip(2, { kind: 'folder', label: 'a-folder-with-a-very-long-name/ · 41 files', omitted: 4_000 }),
	chip(3, { kind: 'problems', label: '2 problems' }),
	chip(4, { kind: 'terminal', label: 'npm test' }),
];

export const RIGHT_TO_LEFT_QUESTION = 'لماذا يفشل `login()`؟\nWhy does it fail?';

/** Texts in Arabic, Hebrew and English, in every kind of block, with code. */
export const RIGHT_TO_LEFT = `\`guard()\` يقارن الثواني بالمللي ثانية، ولذلك تفشل الرموز المنتهية.

### למה זה נכשל

- הפונקציה \`Date.now()\` מחזירה אלפיות שנייה.
- English in an item stays as it is.

> הערה: הזמן נמדד בשניות.

| الحقل | القيمة |
| --- | --- |
| \`exp\` | ثوان |

\`\`\`ts
const now = Date.now(); // שלום
\`\`\`

This paragraph is in English.
`;

/** What a message takes of its model, with the totals of its conversation. */
export const USE: UseView = {
	model: 'large-model',
	instructions: 120,
	history: 8_240,
	attached: 3_910,
	limit: 123_904,
	reply: 4_096,
	total: { replies: 2, prompt: 1_624, completion: 428, isPartial: false, cost: { usd: 0.00246, atLeast: true } },
};

/** Every state of the view, for screenshots and for checks of all states. */
/** Prompts of files: with all that one can say, with a longer name, and of no use. */
export const PROMPTS: PromptView[] = [
	{
		name: 'review',
		where: '.github/prompts',
		description: 'Review a change as the team does',
		hint: '[branch]',
		mode: 'agent',
		notes: 'The message is for mode “Agent”. It contains a command, which is sent as text and doesn’t run.',
		files: { item: chip(7).id, count: 2 },
	},
	{ name: 'claude:team:ship-it', where: '.claude/commands/team' },
	{ name: 'init', where: 'opencode', description: 'Write AGENTS.md', hint: 'what to look at', isOfAgent: true },
	{
		name: 'large',
		where: 'My prompts',
		refusal: 'This prompt file is larger than 64 KB, so it isn’t read. Shorten it.',
	},
];

export const SCENES: Record<string, (chat: ChatPage) => Promise<void>> = {
	empty: chat => chat.snapshot([]),
	'no-model': chat =>
		chat.snapshot([], {
			connection: {
				label: 'Acme',
				problem: {
					message: 'Acme has no model for chat. Set errand.chat.model or switch the connection.',
					action: 'Switch Connection',
				},
			},
		}),
	streaming: chat =>
		chat.snapshot([
			turnView(),
			turnView({ state: 'streaming', text: RICH.slice(0, 300), reasoning: 'Seconds or milliseconds?', ...FACTS }),
		]),
	reasoning: async chat => {
		await chat.snapshot([turnView({ reasoning: 'Seconds or milliseconds? '.repeat(9), ...FACTS })]);
		await chat.page.locator('summary', { hasText: 'Reasoning' }).click();
	},
	outcomes: chat =>
		chat.snapshot(
			[
				turnView({
					canContinue: true,
					explanation: { message: 'The reply ended at the model’s limit.' },
					continued: 2,
				}),
				turnView({ state: 'cutOff', explanation: { message: 'The connection was lost.' } }),
				turnView({ provider: 'demo' }),
			],
			{ connection: { label: 'Local', model: 'demo', isDemo: true } },
		),
	'connection-lost': chat =>
		chat.snapshot([turnView()], {
			connection: { label: 'Acme', problem: { message: 'Acme has no model for chat.', action: 'Switch Connection' } },
		}),
	'code-copied': async chat => {
		await chat.snapshot([turnView({ text: RICH, canRetry: true, ...FACTS })]);
		await chat.page.getByText('Image: diagram of the flow').click();
		await chat.fail('image-load', 'The image wasn’t loaded: example.com doesn’t answer.');
		await chat.page.locator('button[name="copy"]').click();
	},
	waiting: chat => chat.snapshot([turnView({ state: 'streaming', text: 'Half of', waiting: true })]),
	'right-to-left': async chat => {
		await chat.snapshot([turnView({ text: RIGHT_TO_LEFT, canRetry: true }, { question: RIGHT_TO_LEFT_QUESTION })]);
		await chat.page.locator('chat-composer textarea').fill('שאלה נוספת על auth.ts');
	},
	rich: chat => chat.snapshot([turnView({ text: RICH, canRetry: true, ...FACTS })]),
	details: async chat => {
		await chat.snapshot(
			[turnView(), turnView({ canRetry: true, ...FACTS, cost: { usd: 0.00123 }, details: DETAILS })],
			{
				settings: {
					model: 'large-model',
					routing: { preset: 'cheapest', isPrivate: true, isLimited: false },
					retention: 'on',
				},
			},
		);
		await chat.send({ kind: 'context-set', context: { chips: [], use: USE } });
		await chat.page.getByRole('button', { name: 'Details of the reply' }).last().click();
		await chat.page.getByText('The first 3 tokens').click();
	},
	error: chat =>
		chat.snapshot(
			[turnView(), turnView({ state: 'failed', text: 'Half of it came', explanation: KEY_ERROR, canRetry: true })],
			{ notice: 'Couldn’t read a saved conversation. Its file was set aside, not deleted.' },
		),
	'cut-off': chat =>
		chat.snapshot([turnView({ state: 'cutOff', text: 'Half of it came', canRetry: true, canContinue: true })]),
	stopped: chat =>
		chat.snapshot([turnView({ state: 'stopped', text: 'Half of it came', canRetry: true, canContinue: true })]),
	versions: async chat => {
		const version = { index: 2, count: 3, previous: VERSION_ID, next: VERSION_ID };
		const [first, edited] = [turnView({ continued: 1, ...FACTS }, { version }), turnView({ canRetry: true })];
		await chat.snapshot([first, edited], { earlier: 1_960 });
		await chat.page.getByRole('button', { name: 'Edit and Send Again' }).last().click();
	},
	sources: chat =>
		chat.snapshot(
			[
				turnView(
					{ text: SEARCHED, citations: citationsOf(SEARCHED, SOURCES), canRetry: true, ...FACTS, model: 'acme-search' },
					{ mode: 'search' },
				),
			],
			{ mode: 'search' },
		),
	'source-card': async chat => {
		await SCENES['sources']?.(chat);
		await chat.page.locator('.citation').first().focus();
		await chat.page.getByRole('tooltip').waitFor();
	},
	'task-mode': async chat => {
		await chat.snapshot([turnView()]);
		await chat.send({ kind: 'task-mode-set', isOn: true });
		await chat.send({ kind: 'task-set', task: NEXT_TASK });
		await chat.page.locator('chat-composer textarea').fill('Write prices with two digits everywhere.');
	},
	'task-hindered': async chat => {
		await chat.snapshot([turnView({ state: 'streaming' })]);
		await chat.send({ kind: 'task-mode-set', isOn: true });
		await chat.send({ kind: 'task-set', task: HINDERED_TASK });
	},
	'slash-menu': async chat => {
		const refusedModes = { image: 'Local has no image model. Switch the connection to make images.' };
		await chat.snapshot([turnView()], { connection: { label: 'Local', model: 'demo-small', refusedModes } });
		// The page that the scene is shown in may have been through it before.
		const field = chat.page.locator('chat-composer textarea');
		await field.fill('');
		await field.pressSequentially('/');
		await chat.answer('prompts-request', PROMPTS);
		await chat.page.getByRole('option', { name: '/review' }).waitFor();
	},
	'making-a-image': chat => chat.snapshot([imageTurn({ state: 'streaming' })], { mode: 'image' }),
	image: async chat => {
		const turn = imageTurn({ image: { file: IMAGE_FILE_NAME, width: 256, height: 256 } });
		await chat.snapshot([turn], { mode: 'image' });
		await chat.answer('reply-image-request', IMAGE_ADDRESS);
	},
	'image-refused': chat =>
		chat.snapshot([
			imageTurn({ image: { problem: 'private', canReload: false } }),
			imageTurn({ image: { problem: 'unreachable', canReload: true } }),
		]),
	long: chat =>
		chat.snapshot(
			Array.from({ length: 30 }, (_, index) =>
				turnView({ text: index % 3 === 0 ? RICH : 'A short answer.', ...FACTS }),
			),
		),
	'context-meter': async chat => {
		await chat.snapshot([turnView({ text: RICH, canRetry: true, ...FACTS })]);
		// A scene before it may have left a prompt, which takes the mode along.
		await chat.page.locator('chat-composer textarea').fill('');
		await chat.send({ kind: 'task-mode-set', isOn: false });
		await chat.send({ kind: 'context-set', context: { chips: [], use: USE } });
		await chat.page.locator('context-meter button').click();
	},
	// This scene is last, because the composer keeps its context and its text when another conversation is shown.
	context: async chat => {
		await chat.snapshot([turnView({}, { attachments: CHIPS.map(({ id: _, ...attachment }) => attachment) })]);
		await chat.send({
			kind: 'context-set',
			context: {
				chips: [INSTRUCTIONS, ...CHIPS, chip(9, { isChanged: true })],
				warning: 'About 9,000 tokens too many for large-model.',
			},
		});
		const field = chat.page.locator('chat-composer textarea');
		await field.fill('');
		await field.pressSequentially('@p');
		await chat.answer('completion-request', [
			{ id: chip(6).id, kind: 'problems', label: 'All Problems' },
			{ id: chip(7).id, kind: 'file', label: 'profile-of-a-customer.ts', description: 'src/customers' },
			{ id: chip(8).id, kind: 'folder', label: 'prices/', description: 'src' },
			{
				id: chip(9).id,
				kind: 'selection',
				icon: 'symbol-class',
				label: 'PriceList',
				description: 'src/prices/priceList.ts',
			},
			{
				id: chip(0).id,
				kind: 'selection',
				icon: 'symbol-method',
				label: 'priceOf()',
				description: 'src/prices/priceList.ts · PriceList',
			},
		]);
		await chat.page.getByRole('option', { selected: true }).waitFor();
	},
};
