import assert from 'node:assert/strict';
import { exportJson, exportMarkdown } from '../../../../src/chat/conversations/exportFormats.ts';
import type { AgentStep } from '../../../../src/chat/model/agentWork.ts';
import { addTurn, type Conversation, type Turn } from '../../../../src/chat/model/conversation.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second, third] = TURN_IDS;

const moment = (milliseconds: number) =>
	new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'medium' }).format(milliseconds);
/** The moment of each question and reply. */
const asked = moment(1_000);

describe('a conversation as Markdown', () => {
	const markdown = (value: Conversation, title?: string) => exportMarkdown(value, title);

	it('holds what was attached, in fences that it cannot end', () => {
		const attached: Turn = {
			...turn(first, 'Why?', reply()),
			attachments: [
				{
					kind: 'selection',
					label: 'a.md:3-4',
					path: 'docs/a.md',
					lines: { first: 3, last: 4 },
					text: '```\nx\n```',
					omitted: 7,
				},
			],
		};
		assert.ok(
			markdown(conversation(attached)).includes(
				'Why?\n\nAttached: docs/a.md:3-4 (7 characters were left out)\n\n````\n```\nx\n```\n````\n\n## demo',
			),
		);
		assert.ok(exportJson(conversation(attached), 0).includes('"label": "a.md:3-4"'));
	});

	it('holds the sources of an answer, and the address of an image without loading it', () => {
		const sources = [{ url: 'https://a.example/x', title: 'A *title*', start: 0, end: 3 }];
		const searched: Turn = { ...turn(first, 'Why?', reply({ text: 'So.', sources })), mode: 'search' };
		const imaged: Turn = {
			...turn(second, 'A [fox]', reply({ text: 'https://a.example/fox.png?a=b' })),
			previous: first,
			mode: 'image',
		};
		const value = conversation(searched, imaged);
		assert.ok(markdown(value).includes('So.\n\n**Sources**\n\n1. [A \\*title\\*](<https://a.example/x>)\n\n## You'));
		assert.ok(markdown(value).includes('[Image: A \\[fox\\]](<https://a.example/fox.png?a=b>)'));
		assert.ok(exportJson(value, 0).includes('"title": "A *title*"'));
	});

	it('lists what an agent has done where it stood in its text', () => {
		const step = (id: string, offset: number, title: string): AgentStep => ({
			...{ id, offset, title, kind: 'read', state: 'done', startedAt: 0, endedAt: 1 },
		});
		const steps = [step('a', 6, 'Read a.ts'), step('b', 6, 'Read *b*'), step('c', 12, 'npm test')];
		const worked = reply({ text: 'First.\nThen. Done.', work: { ...AGENT_WORK, steps } });
		assert.ok(
			markdown(conversation(turn(first, 'Fix it', worked))).includes(
				'First.\n\n- Read a.ts\n- Read \\*b\\*\n\nThen.\n\n- npm test\n\nDone.',
			),
		);
	});

	it('says who said what when, word for word', () => {
		const text = markdown(
			conversation(
				turn(
					first,
					'Why?\n\n- a *list*',
					reply({ text: '```ts\nlet a;\n```', provider: 'provider-a', reasoning: 'Hm.\nSo.' }),
				),
			),
			'A *title*',
		);
		assert.equal(
			text,
			`# A \\*title\\*

Started ${moment(500)}  
Workspace: widgets

## You (${asked})

Why?

- a *list*

## demo via provider-a (${asked})

> Reasoning
>
> Hm.
> So.

\`\`\`ts
let a;
\`\`\`
`,
		);
	});

	it('says how each reply ended, and where it went on', () => {
		const ends = (others: Parameters<typeof reply>[0]) => markdown(conversation(turn(first, 'Why?', reply(others))));
		assert.match(ends({ state: 'stopped' }), /An answer\.\n\n\*Stopped\.\*\n$/);
		assert.match(ends({ state: 'cutOff' }), /\*The reply was interrupted when the window closed.*\.\*\n$/);
		assert.match(ends({ state: 'cutOff', explanation: { message: 'The line broke.' } }), /\*The line broke\.\*\n$/);
		assert.match(ends({ state: 'failed', text: '', explanation: { message: 'No_key.' } }), /\*No\\_key\.\*\n$/);
		assert.match(ends({ state: 'streaming' }), /\*The reply was still running\.\*\n$/);
		const continued = ends({ continuations: [{ offset: 3, after: 'cutOff', resumedAt: 1_500 }] });
		assert.ok(continued.endsWith(`An answer.\n\n*Ended early after 3 characters; continued ${moment(1_500)}.*\n`));
	});

	it('holds what is shown, and says where there is more', () => {
		const linear = conversation(
			turn(first, 'One?', reply({ text: 'a' }), reply({ text: 'b' })),
			turn(second, 'Two?', reply()),
		);
		const text = markdown(addTurn(linear, { ...turn(third, 'Two, really?', reply()), previous: first }));
		assert.ok(
			text.includes(
				`b\n\n*1 other reply to this message is in the JSON export.*\n\n## You (${asked})\n\n*Version 2 of 2 of this message*\n\nTwo, really?`,
			),
		);
		assert.doesNotMatch(text, /Two\?/);
	});

	it('has no heading from a name of others', () => {
		const text = markdown(conversation(turn(first, 'Why?', reply({ model: 'a\n# b' }))));
		assert.ok(text.includes(`\n## a \\# b (${asked})\n`));
	});
});

describe('a conversation as JSON', () => {
	it('holds all of it, and names its form', () => {
		const value = addTurn(
			conversation(turn(first, 'One?', reply({ text: 'a' }), reply({ text: 'b' }))),
			turn(second, 'Another?', reply()),
		);
		assert.deepEqual(JSON.parse(exportJson(value, 7)), {
			format: 'errand.conversation',
			version: 3,
			exportedAt: 7,
			conversation: value,
		});
	});
});
