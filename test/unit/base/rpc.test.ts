import assert from 'node:assert/strict';
import { UserFacingError } from '../../../src/base/errors.ts';
import { ANSWER_MS, type AnswerMessage, answerRequest, Requests } from '../../../src/base/rpc.ts';
import { ManualClock, settle } from '../../support/manualClock.ts';

const NO_ANSWER = 'No answer came. Try again.';

interface Question {
	request: string;
	text: string;
}

describe('requests between two ends that post to each other', () => {
	let clock: ManualClock;
	let posted: Question[];

	beforeEach(() => {
		clock = new ManualClock();
		posted = [];
	});

	const requests = (post: (message: Question) => unknown = message => void posted.push(message)) =>
		new Requests<Question>({ post, clock, noAnswer: NO_ANSWER });
	const ask = <T>(end: Requests<Question>, text = 'x', withinMs?: number) =>
		end.ask<T>(request => ({ request, text }), withinMs);
	const problem = (message: string) => (error: unknown) =>
		error instanceof UserFacingError && error.message === message;

	/** Two ends between which messages go as an editor sends them: as JSON, later, and only while `isOpen`. */
	function connect(run: (question: Question) => unknown) {
		const line = { isOpen: true };
		const carry = async <T>(message: T, deliver: (copy: T) => unknown) => {
			const text = JSON.stringify(message);
			await settle();
			if (line.isOpen) {
				void deliver(JSON.parse(text));
			}
			return line.isOpen;
		};
		const explain = (error: unknown) => `Failed: ${(error as Error).message}.`;
		const asking: Requests<Question> = requests(message =>
			carry(message, question =>
				answerRequest(question.request, () => run(question), {
					post: answer => carry(answer, copy => asking.receive(copy)),
					explain,
				}),
			),
		);
		return { asking, line };
	}

	it('resolve with the value of the answer, or with nothing where it has none', async () => {
		const { asking } = connect(({ text }) => (text === '' ? undefined : { length: text.length }));
		assert.deepEqual(await ask(asking, 'four'), { length: 4 });
		assert.equal(await ask(asking, ''), undefined);
		assert.equal(clock.sleeping, 0);
	});

	it('end with the problem where the other end throws, at once or later', async () => {
		const now = connect(() => {
			throw new Error('now');
		});
		await assert.rejects(ask(now.asking), problem('Failed: now.'));
		const later = connect(async () => {
			await settle();
			throw new Error('later');
		});
		await assert.rejects(ask(later.asking), problem('Failed: later.'));
		assert.equal(clock.sleeping, 0);
	});

	it('end with a problem if the answer cannot be posted', async () => {
		const { asking } = connect(() => ({ size: 1n }));
		await assert.rejects(ask(asking), /Failed: .*BigInt/);
		const circle: Record<string, unknown> = {};
		circle['self'] = circle;
		await assert.rejects(ask(connect(() => circle).asking), /Failed: .*circular/);
	});

	it('end with a problem if the request cannot be posted, or does not arrive', async () => {
		const throwing = requests(() => {
			throw new Error('not to be cloned');
		});
		await assert.rejects(ask(throwing), problem(NO_ANSWER));
		await assert.rejects(ask(requests(() => Promise.reject(new Error('disposed')))), problem(NO_ANSWER));
		await assert.rejects(ask(requests(async () => false)), problem(NO_ANSWER));
		assert.equal(clock.sleeping, 0);
	});

	it('end when the time is over, and take no answer after that', async () => {
		const { asking, line } = connect(() => new Promise(() => {}));
		const asked = ask(asking);
		const short = ask(asking, 'x', 1_000);
		const outcomes = [asked, short].map(promise => promise.catch((error: Error) => error.message));
		await clock.advance(1_000);
		assert.equal(await outcomes[1], NO_ANSWER);
		assert.equal(clock.running(ANSWER_MS), 1);
		await clock.advance(ANSWER_MS);
		assert.equal(await outcomes[0], NO_ANSWER);
		line.isOpen = false;
	});

	it('end when the page of the other end is gone in the middle of one', async () => {
		const { asking, line } = connect(() => {
			// Hidden, disposed or reloaded while the host works: the answer arrives nowhere.
			line.isOpen = false;
			return 'lost';
		});
		const outcome = ask(asking).catch((error: Error) => error.message);
		await clock.advance(ANSWER_MS);
		assert.equal(await outcome, NO_ANSWER);
	});

	it('all end when the other end can no longer answer', async () => {
		const end = requests();
		const outcomes = [ask(end), ask(end)].map(promise => promise.catch((error: Error) => error.message));
		end.endAll();
		assert.deepEqual(await Promise.all(outcomes), [NO_ANSWER, NO_ANSWER]);
		assert.equal(clock.sleeping, 0);
	});

	it('take neither the answer to another end’s request nor a second one', async () => {
		const before = requests();
		void ask(before).catch(() => {});
		const [old] = posted;
		const after = requests();
		const asked = ask<string>(after);
		const own = posted[1]?.request ?? '';
		assert.notEqual(old?.request, own, 'a page that was reloaded does not count from the beginning again');
		const answer = (request: string, value: string): AnswerMessage => ({ kind: 'answer', request, answer: { value } });
		after.receive(answer(old?.request ?? '', 'of the page before'));
		after.receive(answer(own, 'mine'));
		after.receive(answer(own, 'twice'));
		after.receive({ kind: 'answer', request: own, answer: { problem: 'late' } });
		assert.equal(await asked, 'mine');
		before.endAll();
	});

	it('never reject at the end that answers, also where nothing can be posted', async () => {
		let attempts = 0;
		const post = () => {
			attempts++;
			throw new Error('disposed');
		};
		await answerRequest('1', () => 'x', { post, explain: () => 'Failed.' });
		assert.equal(attempts, 2);
	});
});
