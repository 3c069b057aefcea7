import assert from 'node:assert/strict';
import { type ExportWords, exportJson, exportMarkdown } from '../../../../src/chat/conversations/exportFormats.ts';
import type { AgentStep } from '../../../../src/chat/model/agentWork.ts';
import { addTurn, type Conversation, type Turn } from '../../../../src/chat/model/conversation.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second, third] = TURN_IDS;

const words: ExportWords = {
	untitled: 'New Conversation',
	you: 'You',
	reply: 'Reply',
	reasoning: 'Reasoning',
	via: provider => `via ${provider}`,
	begun: moment => `Begun ${moment}`,
	encrypted: 'Encrypted on its way.',
	workspace: name => `Workspace: ${name}`,
	version: (index, count) => `Version ${index} of ${count}`,
	attached: place => `Attached: ${place}`,
	shortened: count => `(${count} left out)`,
	earlierReplies: count => `${count} other replies`,
	continued: (moment, offset) => `Continued ${moment} after ${offset}`,
	image: prompt => `Image: ${prompt}`,
	sources: 'Sources',
	sourcesCut: 'And more.',
	stopped: 'Stopped.',
	cutOff: 'Cut off.',
	streaming: 'Still running.',
	failed: 'Failed.',
	moment: milliseconds => `t${milliseconds}`,
};

describe('a conversation as Markdown', () => {
	const markdown = (value: Conversation, title?: string) => exportMarkdown(value, title, words);

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
				'Why?\n\nAttached: docs/a.md:3-4 (7 left out)\n\n````\n```\nx\n```\n````\n\n## demo',
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

Begun t500  
Workspace: widgets

## You (t1000)

Why?

- a *list*

## demo via provider-a (t1000)

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
		assert.match(ends({ state: 'cutOff' }), /\*Cut off\.\*\n$/);
		assert.match(ends({ state: 'cutOff', explanation: { message: 'The line broke.' } }), /\*The line broke\.\*\n$/);
		assert.match(ends({ state: 'failed', text: '', explanation: { message: 'No_key.' } }), /\*No\\_key\.\*\n$/);
		assert.match(ends({ state: 'streaming' }), /\*Still running\.\*\n$/);
		assert.match(
			ends({ continuations: [{ offset: 3, after: 'cutOff', resumedAt: 1_500 }] }),
			/An answer\.\n\n\*Continued t1500 after 3\*\n$/,
		);
	});

	it('holds what is shown, and says where there is more', () => {
		const linear = conversation(
			turn(first, 'One?', reply({ text: 'a' }), reply({ text: 'b' })),
			turn(second, 'Two?', reply()),
		);
		const text = markdown(addTurn(linear, { ...turn(third, 'Two, really?', reply()), previous: first }));
		assert.match(text, /b\n\n\*1 other replies\*\n\n## You \(t1000\)\n\n\*Version 2 of 2\*\n\nTwo, really\?/);
		assert.doesNotMatch(text, /Two\?/);
	});

	it('has no heading from a name of others', () => {
		const text = markdown(conversation(turn(first, 'Why?', reply({ model: 'a\n# b' }))));
		assert.match(text, /^## a \\# b \(t1000\)$/m);
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
