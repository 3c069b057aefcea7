// Files and lines that are kept, and what is shown of them.
import assert from 'node:assert/strict';
import { type Conversation, shownTurns } from '../../../src/chat/model/conversation.ts';
import {
	DamagedFileError,
	formatConversationFile,
	NewerFileError,
	parseConversationFile,
	parseTurn,
	rescueConversationFile,
} from '../../../src/chat/model/conversationFile.ts';
import { madeTitle, titleOf } from '../../../src/chat/model/title.ts';
import { toRequest } from '../../../src/chat/model/toRequest.ts';
import { toTurnView } from '../../../src/chat/protocol/toView.ts';
import { applyMessage, emptyPageState } from '../../../src/chat/ui/pageState.ts';
import { readLogEvent } from '../../../src/contract/tasks.ts';
import { type DecisionFile, readDecisionFile } from '../../../src/decisions/model/decisionFile.ts';
import { readOutcome } from '../../../src/decisions/model/outcome.ts';
import { findLinks } from '../../../src/tasks/log/logLinks.ts';
import { createEntryFormatter, createStyledFormatter } from '../../../src/tasks/model/formatEntry.ts';
import { assertLine, corpusOf, jsonLinesOf, jsonOf, type Target } from '../fuzzer.ts';

const ID = 'c0000000-0000-4000-8000-000000000001';

/** The lines of the kept files that hold a whole turn. */
const intactLines = new Set(
	[...corpusOf({ name: 'conversation' }).values()].flatMap(file => file.toString().split('\n').filter(parseTurn)),
);

const conversation: Target = {
	name: 'conversation',
	iterations: 300,
	async run(input) {
		const text = input.toString();
		const whole = await documented(() => parseConversationFile(text));
		const rescued = await documented(() => rescueConversationFile(text, { id: ID, createdAt: 0 }));
		if (whole instanceof NewerFileError || rescued instanceof NewerFileError) {
			assert.deepEqual(
				[whole, rescued].map(error => error?.constructor),
				[NewerFileError, NewerFileError],
			);
			return 'newer';
		}
		const found = new Set(rescued instanceof Error ? [] : rescued?.conversation.turns.map(({ id }) => id));
		for (const line of text.split('\n').slice(0, -1)) {
			const turn = parseTurn(line);
			assert.ok(turn === undefined || found.has(turn.id), 'a readable turn is lost');
			assert.ok(turn !== undefined || !intactLines.has(line), 'a turn that was readable is not any more');
		}
		if (!(rescued instanceof Error) && rescued !== undefined) {
			use(rescued.conversation);
		}
		if (!(whole instanceof Error)) {
			use(whole.conversation);
			const lines = await formatConversationFile(whole.conversation, whole.revision, 0);
			assert.deepEqual(await parseConversationFile(lines.join('')), whole, 'it is not what was written');
		}
		return [whole instanceof Error, found.size].join();
	},
};

async function documented<T>(run: () => Promise<T>): Promise<T | DamagedFileError | NewerFileError> {
	try {
		return await run();
	} catch (error) {
		assert.ok(error instanceof DamagedFileError || error instanceof NewerFileError, String(error));
		return error;
	}
}

/** Everything that is done with a conversation that was opened. */
function use(opened: Conversation): void {
	const shown = shownTurns(opened);
	for (const turn of shown) {
		toRequest(opened, turn.id, 'large');
		assertLine(titleOf({ turns: [{ question: turn.question }] }) ?? '', 'a title');
		assertLine(madeTitle(turn.question) ?? '', 'the title of a model');
	}
	const turns = shown.map(turn => toTurnView(opened, turn, undefined));
	// What the editor passes to the page is JSON.
	const snapshot = JSON.parse(JSON.stringify({ conversation: opened.id, turns, earlier: 0 }));
	const state = applyMessage(emptyPageState, { kind: 'snapshot-set', sequence: 1, snapshot });
	assert.ok(state !== 'missed');
	for (const turn of turns) {
		const changed = applyMessage(state, { kind: 'turns-change', sequence: 2, changes: [{ kind: 'turn-set', turn }] });
		assert.ok(changed !== 'missed' && changed.turns.length === turns.length, 'the page has another number of turns');
	}
}

const logEntries: Target = {
	name: 'logEntries',
	iterations: 500,
	run(input) {
		const cut = (count: number) => `… ${count} more`;
		const format = createEntryFormatter();
		const formatStyled = createStyledFormatter(4_000, cut);
		let count = 0;
		for (const value of jsonLinesOf(input)) {
			const event = readLogEvent(value);
			if (event === undefined) {
				continue;
			}
			const lines = format(event.log, event.timestamp);
			const length = (event.log.message ?? '').length;
			assert.ok(lines.length <= 1 + length, 'an entry has more lines than characters');
			for (const line of lines) {
				assertLine(line.replaceAll('\t', ' '), 'a line of a log');
				assert.ok(line.length <= 2_100, 'a line of a log is too long');
				checkLinks(line);
			}
			for (const { text, colours } of formatStyled(event.log, event.timestamp)) {
				assertLine(text, 'a line of a log document');
				for (const { start, end } of colours) {
					assert.ok(start >= 0 && start < end && end <= text.length, 'a colour is outside of its line');
				}
			}
			count++;
		}
		return count;
	},
};

function checkLinks(text: string): void {
	let last = 0;
	for (const { start, end, ...link } of findLinks(text)) {
		assert.ok(start >= last && start < end && end <= text.length, 'a link is outside of its text, or in another one');
		last = end;
		if (link.kind === 'address') {
			assert.equal(text.slice(start, end), link.url);
			assert.match(new URL(link.url).protocol, /^https?:$/);
		}
	}
}

const decisionFile: Target = {
	name: 'decisionFile',
	iterations: 700,
	run(input) {
		const read = readDecisionFile(input.toString());
		if ('problem' in read) {
			assert.ok(read.problem.kind !== 'invalid' || read.problem.message !== '');
			return JSON.stringify(read.problem).replace(/\d+/g, '');
		}
		const { file } = read;
		assert.deepEqual(readDecisionFile(JSON.stringify(file)), { file }, 'it is not what was written');
		checkOutcomes(file, jsonOf(input));
		return Object.keys(file).join();
	},
};

/** Any value may be the answer of a service. */
function checkOutcomes({ questions }: DecisionFile, received: unknown): void {
	const answers = [
		received,
		...Object.values(Object(received)),
		{ choice: 'a', score: 1, noul: 0.2, probabilities: received },
	];
	for (const question of Object.values(questions)) {
		for (const answer of answers) {
			const { rows, answer: chosen } = readOutcome(question, answer);
			assert.ok(rows.length <= 1_000 && rows.every(({ name, meaning }) => typeof name === typeof meaning));
			assert.ok(chosen === undefined || typeof chosen === 'string' || Number.isFinite(chosen));
		}
	}
}

export const storedTargets: readonly Target[] = [conversation, logEntries, decisionFile];
