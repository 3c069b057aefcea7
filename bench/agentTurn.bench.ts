import { PageFeed } from '../src/chat/pageFeed.ts';
import type { ToPage, TurnChange, TurnView } from '../src/chat/protocol/protocol.ts';
import type { StepView } from '../src/chat/protocol/workProtocol.ts';
import { ManualClock } from '../test/support/manualClock.ts';
import { agentTurn, stepView } from '../test/ui/agentScenes.ts';
import { type ChatPage, startChatPages, turnView } from '../test/ui/chatPage.ts';
import { RICH } from '../test/ui/scenes.ts';
import { longestTask } from '../test/ui/taskTimes.ts';
import type { PageHost } from '../test/ui/testPage.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 3;
const UPDATES = 10_000;
const UPDATES_PER_SECOND = 2_000;
const FRAME_MS = 16;
const CHUNK_LENGTH = 12;
/** An agent's activity between two texts: the number of steps, and of updates per step. */
const STEPS = 6;
const UPDATES_OF_STEP = 4;
/** The limits for the share of CPU, the longest task in milliseconds, and the share of frames. */
const CPU_LIMIT = 1.5;
const TASK_LIMIT = 50;
const FRAMES_LIMIT = 0.95;

declare global {
	interface Window {
		/** The messages from the host. */
		work: ToPage[];
	}
}

type Contender = 'ours' | 'one text' | 'one message';

interface Seen {
	/** Milliseconds of the main thread's CPU time. */
	cpu: number;
	frames: number;
}

/** Measures goal 19. */
export async function rows(): Promise<BenchRow[]> {
	const host = await startChatPages();
	const seen: Record<Contender, Seen[]> = { ours: [], 'one text': [], 'one message': [] };
	let longest = Number.POSITIVE_INFINITY;
	try {
		for (let round = 0; round < ROUNDS; round++) {
			for (const contender of Object.keys(seen) as Contender[]) {
				seen[contender].push(await run(host, contender));
			}
			// The quietest round counts, because other load on the machine only lengthens a task.
			longest = Math.min(longest, await longestOf(host));
		}
	} finally {
		await host.stop();
	}
	const cpu = (contender: Contender) => median(seen[contender].map(run => run.cpu));
	const ratio = cpu('ours') / cpu('one text');
	const frames = median(seen.ours.map(run => run.frames)) / median(seen['one text'].map(run => run.frames));
	const met = ratio <= CPU_LIMIT && longest <= TASK_LIMIT && frames >= FRAMES_LIMIT;
	return [
		{
			goal: '19',
			what: `${UPDATES} updates of an agent in one turn at ${UPDATES_PER_SECOND}/s, text and steps: CPU of the page; longest task; frames`,
			ours: `${cpu('ours').toFixed(0)} ms; ${longest.toFixed(0)} ms; ${frames.toFixed(2)} of the text's`,
			peers: `the same text in one piece, as a reply without steps ${cpu('one text').toFixed(0)} ms = 1; that in one message ${cpu('one message').toFixed(0)} ms`,
			ratio: ratio.toFixed(2),
			met: met ? 'yes' : 'no',
		},
	];
}

/** Returns the turn, and the messages that the host sends for it, one for each frame. */
async function work(contender: Contender): Promise<{ turn: TurnView; messages: ToPage[] }> {
	const isAgent = contender === 'ours';
	const turn = isAgent ? agentTurn({}, { state: 'streaming' }) : turnView({ text: '', state: 'streaming' });
	const updates = updatesOf(turn.id).filter(({ kind }) => isAgent || kind === 'text-append');
	const messages: ToPage[] = [];
	const clock = new ManualClock();
	const feed = new PageFeed(message => messages.push(message), clock);
	const perFrame =
		contender === 'one message'
			? updates.length
			: Math.ceil((updates.length * FRAME_MS * UPDATES_PER_SECOND) / (UPDATES * 1000));
	for (let start = 0; start < updates.length; start += perFrame) {
		for (const update of updates.slice(start, start + perFrame)) {
			feed.change(update);
		}
		await clock.advance(FRAME_MS);
	}
	feed.change({ kind: 'turn-set', turn: endOf(turn, updates) });
	await clock.advance(FRAME_MS);
	return { turn, messages };
}

/** Returns the turn as the host sends it when the agent is done. */
function endOf(turn: TurnView, updates: readonly TurnChange[]): TurnView {
	const text = updates.map(update => (update.kind === 'text-append' ? update.text : '')).join('');
	const steps = new Map(updates.flatMap(update => (update.kind === 'step-set' ? [[update.step.id, update.step]] : [])));
	const { work } = turn.reply;
	const done = work && { work: { ...work, steps: [...steps.values()] } };
	return { ...turn, reply: { ...turn.reply, state: 'done', text, ...done } };
}

function updatesOf(turn: string): TurnChange[] {
	const updates: TurnChange[] = [];
	const text = `${RICH}\n\n`;
	const chunks = text.match(new RegExp(`[\\s\\S]{1,${CHUNK_LENGTH}}`, 'g')) ?? [];
	for (let offset = text.length; updates.length < UPDATES; offset += text.length) {
		updates.push(...chunks.map(chunk => ({ kind: 'text-append' as const, turn, text: chunk })));
		for (let count = 0; count < STEPS; count++) {
			updates.push(...stepUpdates({ offset }, count).map(step => ({ kind: 'step-set' as const, turn, step })));
		}
	}
	return updates.slice(0, UPDATES);
}

function stepUpdates(others: Partial<StepView>, count: number): StepView[] {
	const isCommand = count % 3 === 2;
	const { endedAt, ...begun } = stepView({
		...others,
		kind: isCommand ? 'execute' : count % 3 === 1 ? 'search' : 'read',
		...(isCommand ? { command: `npm test -- ${count}` } : { locations: [{ path: 'src/auth.ts', line: 30 }] }),
		state: 'running',
	});
	const told = { ...begun, hasOutput: true };
	return [
		...Array.from({ length: UPDATES_OF_STEP - 2 }, () => ({ ...begun })),
		told,
		{ ...told, state: 'done', ...(endedAt === undefined ? {} : { endedAt }) },
	];
}

async function run(host: PageHost<ChatPage>, contender: Contender): Promise<Seen> {
	const chat = await open(host, contender);
	const session = await chat.page.context().newCDPSession(chat.page);
	await session.send('Performance.enable', { timeDomain: 'threadTicks' });
	const busy = async () => {
		const { metrics } = await session.send('Performance.getMetrics');
		return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
	};
	const before = await busy();
	const frames = await chat.page.evaluate(feed, FRAME_MS);
	const cpu = (await busy()) - before;
	await chat.close();
	return { cpu, frames };
}

async function longestOf(host: PageHost<ChatPage>): Promise<number> {
	const chat = await open(host, 'ours');
	const { wall } = await longestTask(chat.page, () => chat.page.evaluate(feed, FRAME_MS));
	await chat.close();
	return wall;
}

/** Opens a page that already has the messages, because receiving them all takes it a while. */
async function open(host: PageHost<ChatPage>, contender: Contender): Promise<ChatPage> {
	const { turn, messages } = await work(contender);
	const chat = await host.open();
	await chat.snapshot([turn]);
	await chat.page.evaluate(given => {
		window.work = given;
	}, messages);
	return chat;
}

/** Runs in the page: sends the messages one after another and waits until all is shown. Resolves with the frames. */
async function feed(interval: number): Promise<number> {
	const messages = window.work;
	const nextFrame = () => new Promise(resolve => requestAnimationFrame(resolve));
	const begin = performance.now();
	let sent = 0;
	let frames = 0;
	while (sent < messages.length) {
		await nextFrame();
		frames++;
		for (const due = (performance.now() - begin) / interval; sent < messages.length && sent < due; sent++) {
			window.postMessage(messages[sent], '*');
		}
	}
	const log = document.querySelector('chat-app')?.shadowRoot?.querySelector('.log');
	for (let quiet = 0, height = -1; quiet < 30; ) {
		await nextFrame();
		quiet = log?.scrollHeight === height ? quiet + 1 : 0;
		height = log?.scrollHeight ?? 0;
	}
	return frames;
}
