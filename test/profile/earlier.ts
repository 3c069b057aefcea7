// Opens and writes what the present build has stored, by the code of an earlier build: `node earlier.ts <the project's folder
// at that build> <folder>`. It prints what it has found, in JSON. Nothing here is of the present build.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [project = '', folder = ''] = process.argv.slice(2);
const load = (file: string) => import(pathToFileURL(path.join(project, 'src', file)).href);

async function outcomeOf(run: () => unknown): Promise<unknown> {
	try {
		return await run();
	} catch (error) {
		return { refused: (error as Error).message };
	}
}

const { nullLogger } = await load('base/logger.ts');
const { ConversationStore } = await load('chat/storage/conversationStore.ts');
const { openDatabase } = await load('service/store/database.ts');
const { TaskStore } = await load('service/store/taskStore.ts');
const { SharedState } = await load('platform/sharedState.ts');
const { CommentStore } = await load('tasks/review/commentStore.ts');
const { ApplyRecordFile } = await load('tasks/apply/applyRecord.ts');

const store = new ConversationStore(path.join(folder, 'conversations'), nullLogger);

/** Opens each conversation, and writes one more turn into it. */
async function conversations(): Promise<unknown[]> {
	const listed = (await store.list()).conversations as { id: string }[];
	return Promise.all(
		listed.map(async ({ id }) => {
			const outcome = await store.open(id);
			if (outcome.kind !== 'opened') {
				return { id, outcome: outcome.kind };
			}
			const { conversation, writer, repair } = outcome;
			const { turns, head } = conversation;
			const now = Date.now();
			const further = {
				...{ id: randomUUID(), previous: head, askedAt: now, question: 'What does the earlier build say?' },
				replies: [{ state: 'done', startedAt: now, endedAt: now, text: 'That it goes on.' }],
			};
			await writer.save({ ...conversation, turns: [...turns, further], head: further.id });
			return { id, outcome: repair === undefined ? 'opened' : 'repaired', turns: turns.length };
		}),
	);
}

function tasks(): unknown {
	const database = openDatabase(path.join(folder, 'state.sqlite'));
	try {
		return new TaskStore(database).list({ limit: 100, offset: 0 }).tasks.length;
	} finally {
		database.close();
	}
}

const comments = () => new CommentStore(new SharedState(path.join(folder, 'state'), nullLogger)).all().length;
const application = async () => (await new ApplyRecordFile(folder).read())?.files.length;

const found = {
	conversations: await outcomeOf(conversations),
	tasks: await outcomeOf(tasks),
	comments: await outcomeOf(comments),
	application: await outcomeOf(application),
};
process.stdout.write(JSON.stringify(found));
