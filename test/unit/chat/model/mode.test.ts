import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
	agentMessage,
	COMPOSER_MODES,
	escapeMessage,
	offersName,
	parseMessage,
	slashName,
	slashWord,
	taskGoal,
} from '../../../../src/chat/model/mode.ts';

describe('a message', () => {
	it('begins with a command that says what it asks for', () => {
		assert.deepEqual(parseMessage('/search who won'), { mode: 'search', text: 'who won' });
		assert.deepEqual(parseMessage('/image a fox\nat night'), { mode: 'image', text: 'a fox\nat night' });
		assert.deepEqual(parseMessage('/chat\n/search'), { mode: 'chat', text: '/search' });
		assert.deepEqual(parseMessage('/search'), { mode: 'search', text: '' });
	});

	it('is plain text with any other word, with white space before the slash, and with two slashes', () => {
		for (const text of ['/searching for it', '/etc/hosts', ' /search x', '\n/image x', 'see /search x', '/Search x']) {
			assert.deepEqual(parseMessage(text), { mode: undefined, text });
		}
		assert.deepEqual(parseMessage('//search x'), { mode: undefined, text: '/search x' });
		assert.deepEqual(parseMessage('// a comment'), { mode: undefined, text: '/ a comment' });
	});

	it('goes to an agent unless it says what else it is for', () => {
		assert.deepEqual(parseMessage(agentMessage('and then?')), { mode: 'agent', text: 'and then?' });
		assert.deepEqual(parseMessage(agentMessage('//search x')), { mode: 'agent', text: '/search x' });
		for (const message of ['/search who won', '/agent go on', '/task all of it']) {
			assert.equal(agentMessage(message), message);
		}
	});

	it('is itself again when it is escaped and read, whatever it is', () => {
		const start = fc.constantFrom(
			'',
			'/',
			'//',
			'/search',
			'/image ',
			'/chat\n',
			'//image',
			'/task',
			'/task ',
			'/agent ',
		);
		fc.assert(
			fc.property(start, fc.string({ unit: 'grapheme' }), (prefix, rest) => {
				const text = prefix + rest;
				assert.deepEqual(parseMessage(escapeMessage(text)), { mode: undefined, text });
				assert.equal(taskGoal(escapeMessage(text), 'chat'), undefined);
			}),
		);
	});

	it('is meant for a task where it begins with that command, and what follows is the goal', () => {
		assert.equal(taskGoal('/task Fix it\nsoon', 'chat'), 'Fix it\nsoon');
		assert.equal(taskGoal('/task', 'task'), '');
		for (const text of ['Fix it', '/tasks', '//task x', ' /task x', '/search x']) {
			assert.equal(taskGoal(text, 'chat'), undefined, text);
		}
	});

	it('is meant for a task in that mode, unless it begins with another command', () => {
		assert.equal(taskGoal('Fix it', 'task'), 'Fix it');
		assert.equal(taskGoal('//task x', 'task'), '/task x');
		assert.equal(taskGoal('/tasks', 'task'), '/tasks');
		for (const text of ['/chat Fix it', '/agent', '/search x']) {
			assert.equal(taskGoal(text, 'task'), undefined, text);
		}
	});

	it('offers the commands that it may still become', () => {
		const offered = (text: string, cursor: number) => {
			const typed = slashWord(text, cursor);
			return COMPOSER_MODES.filter(name => typed !== undefined && offersName(name, typed));
		};
		assert.deepEqual(offered('/', 1), ['chat', 'agent', 'search', 'image', 'task']);
		assert.deepEqual(offered('/s', 2), ['search']);
		assert.deepEqual(offered('/image', 6), ['image']);
		assert.deepEqual(offered('/ who won', 1), ['chat', 'agent', 'search', 'image', 'task']);
		assert.deepEqual(offered('/x', 2), []);
	});

	it('offers none in a text, after two slashes, and inside a word', () => {
		for (const [text, cursor] of [
			['', 0],
			['/', 0],
			['//', 2],
			[' /', 2],
			['/search ', 8],
			['/search', 3],
			['a /', 3],
		] as const) {
			assert.equal(slashWord(text, cursor), undefined, JSON.stringify([text, cursor]));
		}
	});

	it('offers a name with colons by each of its parts, whatever the letters are', () => {
		for (const typed of ['cl', 'claude:re', 'Rev', 'REVIEW']) {
			assert.ok(offersName('claude:Review', typed), typed);
		}
		assert.ok(!offersName('claude:Review', 'view'));
	});

	it('names a prompt by its first word alone, and what follows is typed for it', () => {
		assert.deepEqual(slashName('/review the last\nchange'), { name: 'review', typed: 'the last\nchange' });
		assert.deepEqual(slashName('/review'), { name: 'review', typed: '' });
		for (const text of ['review', ' /review', '//review', '/', '/ review', '/etc/hosts is wrong']) {
			assert.equal(slashName(text), undefined, text);
		}
	});
});
