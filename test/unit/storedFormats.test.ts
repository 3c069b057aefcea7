// Every format in which Errand stores something, what the present build makes of data that it has written itself, and of
// data that a later version has written. Data of earlier versions is in `profile.test.ts`.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionFiles } from '../../src/agent/sessionFile.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { AgentFolder } from '../../src/chat/agent/agentFolder.ts';
import { AgentServers } from '../../src/chat/agent/agentServers.ts';
import { noticeText, openFailureText } from '../../src/chat/messages/messages.ts';
import { lastShown } from '../../src/chat/model/shownConversation.ts';
import { ConversationStore, expiredTrash } from '../../src/chat/storage/conversationStore.ts';
import { ChannelMemory } from '../../src/client/channel/memory.ts';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { UseLedger } from '../../src/languageModels/useLedger.ts';
import { KeyStore } from '../../src/models/keys/keyStore.ts';
import { serverKey } from '../../src/models/model/keyFormat.ts';
import { readConnection } from '../../src/models/model/readConnection.ts';
import { hashedName, SharedState, StateEntries } from '../../src/platform/sharedState.ts';
import { ServerAnswers } from '../../src/service/inference/upstreams/serverAnswers.ts';
import { ReasoningSeal } from '../../src/service/responses/reasoningSeal.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { SCHEMA_VERSION } from '../../src/service/store/schema.ts';
import { readMarker, writeMarker } from '../../src/service/tasks/folderRetention.ts';
import { ApplyRecordFile } from '../../src/tasks/apply/applyRecord.ts';
import { LogFiles } from '../../src/tasks/log/logFile.ts';
import type { CommentPlace, ReviewThread } from '../../src/tasks/model/reviewComment.ts';
import { COMMENT_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import { CommentStore } from '../../src/tasks/review/commentStore.ts';
import { conversation, reply, TURN_IDS, turn } from './chat/conversations.ts';

const ID = conversation().id;
const ENCRYPTED = 'c0000000-0000-4000-8000-000000000002';
const UPDATE = /later version of Errand\. Update Errand/;
const [first, second] = TURN_IDS;
const REPLY = {
	connection: 'acme',
	model: 'large',
	inputTokens: 1,
	outputTokens: 2,
	cost: { known: 'nothing' },
} as const;
const SLOT = serverKey('workshop', 'https://workshop.example/v1');
const ANSWER = { url: 'http://127.0.0.1:1', user: 'robin', use: true } as const;
const SEAL = new ReasoningSeal(Buffer.alloc(32));
const SERVER: McpServer & { file: string; folder: string } = {
	name: 'sums',
	command: 'sums',
	args: [],
	env: {},
	hosts: [],
	files: 'read',
	file: '.vscode/mcp.json',
	folder: '/widgets',
};
const PLACE: CommentPlace = {
	...{ resultKey: 'task', taskId: 'task', directory: '/widgets', path: 'a.ts' },
	side: 'after',
	...{ object: 'a'.repeat(40), firstLine: 0, lastLine: 0, quote: ['one'] },
};

interface Format {
	/** Its file, and the mark of its version, which most have not. */
	file: string;
	mark?: string;
	/** The present build writes it. */
	write(folder: string): unknown;
	/** The present build opens it. */
	open(folder: string): unknown;
	/** The value that `open` gives of what `write` has written. */
	value: unknown;
	/** What a later version would have written, of what is there. */
	later(text: string): string;
	/** The value or the sentence that `open` gives of it. */
	outcome: unknown;
	/** The present build goes on with it. By default, it only opens it. */
	goOn?(folder: string): unknown;
	/** What is there afterwards: all bytes as they were, a text that survives, or what replaces them and why that is no harm. */
	after: 'unchanged' | RegExp | { replaced: RegExp; because: string };
}

const add = (fields: string) => (text: string) => text.replace('{', `{${fields},`);
const conversations = (folder: string) => new ConversationStore(folder, nullLogger);
const state = (folder: string) => new SharedState(folder, nullLogger);
const stateFile = (key: string) => `${hashedName(key)}.json`;
const sessions = (folder: string) => new SessionFiles({ XDG_STATE_HOME: folder }, '/nowhere');
const log = (folder: string) => new LogFiles(folder).of('log');
const agentFolder = (folder: string) => new AgentFolder(folder, ID);

/** The editor's secrets, in a file. */
function secrets(folder: string) {
	const file = path.join(folder, 'secrets.json');
	const read = (): Record<string, string> => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
	return {
		get: async (key: string) => read()[key],
		store: async (key: string, value: string) => writeFileSync(file, JSON.stringify({ ...read(), [key]: value })),
		delete: async () => assert.fail('a secret is removed'),
	};
}

const keys = (folder: string) => new KeyStore(secrets(folder), () => {});
const servers = (folder: string) =>
	new AgentServers({
		state: state(folder),
		secrets: secrets(folder),
		packages: folder,
	} as never as ConstructorParameters<typeof AgentServers>[0]);

async function openConversation(folder: string, id: string): Promise<unknown> {
	const outcome = await conversations(folder).open(id);
	return outcome.kind === 'opened'
		? outcome.conversation.turns.map(({ question }) => question)
		: openFailureText(outcome);
}

async function writeConversation(folder: string, isEncrypted: boolean): Promise<void> {
	const value = {
		...conversation(turn(first, 'One?', reply())),
		...(isEncrypted && { id: ENCRYPTED, encryption: {} }),
	};
	await conversations(folder).create(value).save(value);
}

async function sendFurther(folder: string): Promise<void> {
	const outcome = await conversations(folder).open(ID);
	assert.ok(outcome.kind === 'opened');
	const further = { ...turn(second, 'Two?', reply()), previous: first };
	await outcome.writer.save({ ...outcome.conversation, turns: [...outcome.conversation.turns, further], head: second });
}

const comments = (folder: string) =>
	new CommentStore(state(folder)).threads('task').flatMap(thread => thread.comments.map(({ text }) => text));

async function comment(folder: string, text: string): Promise<string | ReviewThread> {
	return new CommentStore(state(folder)).begin(PLACE, text);
}

const CONVERSATION = {
	file: `${ID}.jsonl`,
	write: (folder: string) => writeConversation(folder, false),
	open: (folder: string) => openConversation(folder, ID),
	value: ['One?'],
};
const COMMENTS = {
	file: stateFile(`${COMMENT_ENTRIES}/${hashedName('task')}`),
	write: (folder: string) => comment(folder, 'Why?'),
	open: comments,
	value: ['Why?'],
};
const SECRET = {
	file: 'secrets.json',
	write: (folder: string) => keys(folder).save(SLOT, 'made-up'),
	open: async (folder: string) => (await keys(folder).usable(SLOT)).key,
	value: 'made-up',
	outcome: 'made-up',
};

const FORMATS: Readonly<Record<string, Format>> = {
	'the state file of the local service': {
		file: 'state.sqlite',
		mark: 'user_version',
		write: folder => openDatabase(path.join(folder, 'state.sqlite')).close(),
		open(folder) {
			const database = openDatabase(path.join(folder, 'state.sqlite'));
			const { version } = database.prepare('SELECT user_version AS version FROM pragma_user_version').get() ?? {};
			database.close();
			return version;
		},
		value: SCHEMA_VERSION,
		// A later version may also keep the file in another way.
		later: () => `PRAGMA journal_mode = DELETE; PRAGMA user_version = ${SCHEMA_VERSION + 1}`,
		outcome: /state\.sqlite was written by a newer version of Errand\. Update Errand/,
		after: 'unchanged',
	},
	'a conversation': {
		...CONVERSATION,
		mark: 'version',
		later: text => text.replace('"version":3', '"version":5'),
		outcome: UPDATE,
		after: 'unchanged',
	},
	'an encrypted conversation': {
		file: `${ENCRYPTED}.jsonl`,
		mark: 'version',
		write: folder => writeConversation(folder, true),
		open: folder => openConversation(folder, ENCRYPTED),
		value: ['One?'],
		later: text => text.replace('"version":4', '"version":5'),
		outcome: UPDATE,
		after: 'unchanged',
	},
	'the list of conversations': {
		...CONVERSATION,
		async open(folder) {
			const list = await conversations(folder).list();
			return list.newer > 0
				? noticeText({ kind: 'newer', count: list.newer })
				: list.conversations.map(({ title }) => title);
		},
		later: text => text.replace('"version":3', '"version":5'),
		outcome: UPDATE,
		after: 'unchanged',
	},
	'a conversation with a word that only a later version knows': {
		...CONVERSATION,
		later: text => text.replace('"state":"done"', '"state":"dreaming"'),
		outcome: UPDATE,
		after: 'unchanged',
	},
	'a turn with a field that only a later version knows': {
		...CONVERSATION,
		later: text => text.replace('"question"', '"dream":{"deep":[1]},"question"'),
		outcome: ['One?'],
		goOn: sendFurther,
		after: /"dream":\{"deep":\[1\]\},"question":"One\?"/,
	},
	'the head of a conversation with a field that only a later version knows': {
		...CONVERSATION,
		later: add('"dream":1'),
		outcome: ['One?'],
		goOn: sendFurther,
		after: { replaced: /"version":3/, because: 'what must not be lost of a conversation has a new version' },
	},
	'the index of conversations': {
		file: 'index.json',
		mark: 'version',
		async write(folder) {
			await writeConversation(folder, false);
			await conversations(folder).list();
		},
		open: async folder => (await conversations(folder).list()).conversations.map(({ title }) => title),
		value: ['One?'],
		later: text => text.replace('"version":1', '"version":2').replace('One?', 'Of the index?'),
		outcome: ['One?'],
		after: { replaced: /"version":1/, because: 'it is made from the conversations' },
	},
	'the count of the days in the trash': {
		file: 'trash.json',
		write: folder => expiredTrash(30, path.join(folder, 'trash.json'), ['one'], 1),
		open: folder => expiredTrash(30, path.join(folder, 'trash.json'), ['one'], 2),
		value: [],
		later: text => text.replace('"days"', '"hours"'),
		outcome: [],
		after: { replaced: /"days":0/, because: 'what is in the trash stays there for longer' },
	},
	'the shown conversation': {
		file: stateFile('errand.shownConversation'),
		write: folder => lastShown(state(folder)).write({ id: ID }),
		open: folder => lastShown(state(folder)).read()?.id,
		value: ID,
		later: text => text.replace(`"${ID}"`, '[]'),
		outcome: undefined,
		after: 'unchanged',
	},
	comments: {
		...COMMENTS,
		later: text => text.replace('"side":"after"', '"side":"both"'),
		outcome: [],
		after: 'unchanged',
	},
	'comments that are added to': {
		...COMMENTS,
		later: text => text.replace('"side":"after"', '"side":"both"'),
		outcome: [],
		goOn: folder =>
			assert.rejects(comment(folder, 'And how?'), { name: 'UserFacingError', message: /Update Errand\.$/ }),
		after: 'unchanged',
	},
	'comments with a field that only a later version knows': {
		...COMMENTS,
		later: text => text.replace('"text"', '"dream":1,"text"'),
		outcome: ['Why?'],
		goOn: folder => comment(folder, 'And how?'),
		after: /"dream":1,"text":"Why\?"/,
	},
	'any other entry of the state that windows share': {
		file: stateFile(`kind/${hashedName('one')}`),
		write: folder => new StateEntries(state(folder), 'kind', value => typeof value === 'string').set('one', 'text'),
		open: folder => new StateEntries(state(folder), 'kind', value => typeof value === 'string').values(),
		value: ['text'],
		later: text => text.replace('"text"', '{"text":"text"}'),
		outcome: [],
		goOn: folder => new StateEntries(state(folder), 'kind', value => typeof value === 'string').note('one', 'other'),
		after: 'unchanged',
	},
	'a key': {
		...SECRET,
		later: text => text.replace('\\"key\\"', '\\"dream\\":1,\\"key\\"'),
		goOn: folder => keys(folder).keepCheck(SLOT, 'made-up', { at: 1, answer: 'refused' }),
		after: /\\"dream\\":1[^}]*\\"check\\"/,
	},
	'a yes to an MCP server': {
		file: stateFile('errand.mcpServers'),
		write: folder => servers(folder).noteTools(SERVER, {}),
		open: folder => servers(folder).decision(SERVER, true),
		value: true,
		later: text => text.replace('"isAllowed"', '"dream":1,"isAllowed"'),
		outcome: true,
		goOn: folder => servers(folder).noteTools(SERVER, {}),
		after: /"dream":1/,
	},
	'a yes to an MCP server with a digest of another kind': {
		file: stateFile('errand.mcpServers'),
		write: folder => servers(folder).noteTools(SERVER, {}),
		open: folder => servers(folder).decision(SERVER, true),
		value: true,
		later: text => text.replace(/"digest":"/, '"digest":"later:'),
		// It is asked for again.
		outcome: undefined,
		after: 'unchanged',
	},
	'the memory of attestations': {
		file: stateFile('memory'),
		write: folder => memory(folder).accept('a', { verdicts: [], keyFingerprint: 'print', devices: [] }, 'nonce'),
		open: folder => memory(folder).accepted('a')?.keyFingerprint,
		value: 'print',
		later: text => text.replace('"verdicts":[]', '"verdicts":[{"check":"dream","verdict":"pass"}]'),
		outcome: 'print',
		goOn: folder => memory(folder).accept('b', { verdicts: [], keyFingerprint: 'other', devices: [] }, 'another'),
		after: /"keyFingerprint":"print"[\s\S]*"keyFingerprint":"other"/,
	},
	'a connection in the settings': {
		file: 'settings.json',
		write: folder =>
			writeFileSync(path.join(folder, 'settings.json'), '{"apiUrl":"https://acme.example","service":"acme"}'),
		open(folder) {
			const read = readConnection('acme', {
				acme: JSON.parse(readFileSync(path.join(folder, 'settings.json'), 'utf8')),
			});
			return 'connection' in read ? read.connection.apiUrl : read.problem;
		},
		value: 'https://acme.example',
		later: add('"dream":1'),
		outcome: 'https://acme.example',
		after: 'unchanged',
	},
	'the last application of changes': {
		file: 'lastApply',
		write: folder => new ApplyRecordFile(folder).write({ directory: '/widgets', like: 'a'.repeat(40), files: [] }),
		open: async folder => (await new ApplyRecordFile(folder).read())?.directory,
		value: '/widgets',
		later: add('"dream":1'),
		outcome: '/widgets',
		after: 'unchanged',
	},
	'a log that is followed': {
		file: `${hashedName('log')}.jsonl`,
		async write(folder) {
			const file = log(folder);
			file.replace({ lines: ['one'], indexes: [0], next: 1 });
			await file.written();
		},
		open: async folder => (await log(folder).read())?.lines,
		value: ['one'],
		later: text => `{"dream":1}\n${text}`,
		// It is read from the service again.
		outcome: undefined,
		after: 'unchanged',
	},
	'the use by other extensions': {
		file: '2026-01.jsonl',
		write: folder => new UseLedger(folder).add(Date.UTC(2026, 0, 15), REPLY),
		open: async folder => (await new UseLedger(folder).read()).unreadable,
		value: 0,
		later: text => text.replace('"nothing"', '"dream"'),
		// The report says that something is missing.
		outcome: 1,
		goOn: folder => new UseLedger(folder).add(Date.UTC(2026, 0, 15), REPLY),
		after: /"dream"[\s\S]*"nothing"/,
	},
	'the repositories of a conversation’s agents': {
		file: path.join(ID, 'repositories.json'),
		write: folder => agentFolder(folder).note('/widgets'),
		open: folder => agentFolder(folder).repositories(),
		value: ['/widgets'],
		later: text => text.replace(']', ',{"path":"/other"}]'),
		outcome: ['/widgets'],
		goOn: folder => agentFolder(folder).note('/third'),
		after: {
			replaced: /\["\/widgets","\/third"\]/,
			because: 'only the removal of references of Errand’s own needs them',
		},
	},
	'a session of Errand’s own agent': {
		file: path.join('errand-agent', 'sessions', `${ID}.json`),
		mark: 'version',
		write: folder => sessions(folder).save(ID, '/widgets', []),
		open: async folder => (await sessions(folder).load(ID))?.folder,
		value: '/widgets',
		later: text => text.replace('"version":1', '"version":2'),
		// The agent begins a new session with a summary of the conversation.
		outcome: undefined,
		after: 'unchanged',
	},
	'the folder of a task': {
		file: 'kept.json',
		write: folder => writeMarker(folder, { agent: 'errand' }),
		open: async folder => (await readMarker(folder))?.agent,
		value: 'errand',
		later: add('"dream":1'),
		outcome: 'errand',
		after: 'unchanged',
	},
	'the answers about model servers that were found': {
		file: 'found-servers.json',
		write: folder => new ServerAnswers(folder, nullLogger).keep(ANSWER),
		open: folder => new ServerAnswers(folder, nullLogger).find(ANSWER.url, ANSWER.user),
		value: true,
		later: text => text.replace('true', '"sometimes"'),
		// It is asked for again.
		outcome: undefined,
		after: 'unchanged',
	},
	'reasoning in a conversation': {
		file: 'sealed',
		mark: 'errand1.',
		write: folder => writeFileSync(path.join(folder, 'sealed'), SEAL.seal('Hm')),
		open: folder => SEAL.open(readFileSync(path.join(folder, 'sealed'), 'utf8')),
		value: 'Hm',
		later: text => text.replace('errand1.', 'errand2.'),
		outcome: undefined,
		after: 'unchanged',
	},
};

const memory = (folder: string) =>
	new ChannelMemory({
		read: () => state(folder).get('memory'),
		write: value => void state(folder).update('memory', value),
	});

describe('what Errand has stored, and what a later version has made of it:', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-formats-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	/** Puts what a later version would have written in the place of what is there. */
	function makeLater(file: string, later: Format['later']): void {
		if (file.endsWith('.sqlite')) {
			const database = new DatabaseSync(file);
			database.exec(later(''));
			database.close();
			return;
		}
		const [before, after] = [readFileSync(file, 'utf8'), later(readFileSync(file, 'utf8'))];
		assert.notEqual(after, before);
		writeFileSync(file, after);
	}

	async function opening(format: Format): Promise<unknown> {
		try {
			return await format.open(folder);
		} catch (error) {
			assert.equal((error as Error).name, 'UserFacingError');
			return (error as Error).message;
		}
	}

	for (const [what, format] of Object.entries(FORMATS)) {
		it(`${what} (${format.file}${format.mark === undefined ? '' : `, ${format.mark}`})`, async () => {
			const file = path.join(folder, format.file);
			await format.write(folder);
			assert.deepEqual(await format.open(folder), format.value);
			makeLater(file, format.later);
			const before = readFileSync(file);
			const opened = await opening(format);
			if (format.outcome instanceof RegExp) {
				assert.match(String(opened), format.outcome);
			} else {
				assert.deepEqual(opened, format.outcome);
			}
			await format.goOn?.(folder);
			if (format.after === 'unchanged') {
				assert.ok(readFileSync(file).equals(before));
			} else {
				assert.match(readFileSync(file, 'utf8'), 'replaced' in format.after ? format.after.replaced : format.after);
			}
		});
	}
});
