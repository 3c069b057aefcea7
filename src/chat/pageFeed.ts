import type { Clock } from '../base/async.ts';
import type { ToPage, TurnChange } from './protocol/protocol.ts';

/** One frame of a 60 Hz display, in milliseconds: more messages than that would only queue up in the page. */
const FLUSH_INTERVAL_MS = 16;

/** Batches the changes of the conversation into at most one numbered message every 16 ms. */
export class PageFeed {
	private readonly post: (message: ToPage) => void;
	private readonly clock: Clock;
	private pending: TurnChange[] = [];
	private sequence = 0;
	private flushing = false;

	constructor(post: (message: ToPage) => void, clock: Clock) {
		this.post = post;
		this.clock = clock;
	}

	change(change: TurnChange): void {
		const turnId = change.kind === 'turn-set' ? change.turn.id : change.turn;
		if (change.kind === 'turn-set') {
			// The whole turn includes the pending changes of it.
			this.pending = this.pending.filter(other => (other.kind === 'turn-set' ? other.turn.id : other.turn) !== turnId);
			this.pending.push(change);
		} else {
			const last = this.pending.at(-1);
			const joined = last && joinedChange(last, change);
			if (joined) {
				this.pending[this.pending.length - 1] = joined;
			} else {
				this.pending.push(change);
			}
		}
		if (!this.flushing) {
			void this.flushForNow();
		}
	}

	/** Sends a snapshot, which includes the pending changes. */
	snapshot(snapshot: Extract<ToPage, { kind: 'snapshot-set' }>['snapshot']): void {
		this.pending = [];
		this.post({ kind: 'snapshot-set', sequence: this.sequence, snapshot });
	}

	/** Sends the first change at once, and the changes of the 16 ms after a message with the next one. */
	private async flushForNow(): Promise<void> {
		this.flushing = true;
		while (this.pending.length > 0) {
			const changes = this.pending;
			this.pending = [];
			this.sequence++;
			this.post({ kind: 'turns-change', sequence: this.sequence, changes });
			await this.clock.sleep(FLUSH_INTERVAL_MS);
		}
		this.flushing = false;
	}
}

/** Returns one change with the effect of both, if possible. */
function joinedChange(earlier: TurnChange, later: TurnChange): TurnChange | undefined {
	if (earlier.kind === 'turn-set' || later.kind === 'turn-set' || earlier.turn !== later.turn) {
		return undefined;
	}
	switch (later.kind) {
		case 'text-append':
		case 'reasoning-append':
			return earlier.kind === later.kind ? { ...later, text: earlier.text + later.text } : undefined;
		case 'step-set':
			return earlier.kind === 'step-set' && earlier.step.id === later.step.id ? later : undefined;
		case 'work-set':
			return earlier.kind === 'work-set' ? later : undefined;
	}
}
