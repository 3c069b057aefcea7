import type { ReplyEvent } from '../model/applyEvent.ts';

/** Passes the events of a reply from their producer to their reader. Unread events are joined. */
export class EventQueue {
	private readonly pending: ReplyEvent[] = [];
	private wake: (() => void) | undefined;
	private end: { error?: unknown } | undefined;

	push(event: ReplyEvent): void {
		const last = this.pending.at(-1);
		if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) {
			this.pending[this.pending.length - 1] = { ...event, text: last.text + event.text };
		} else if (event.type === 'work' && last?.type === 'work') {
			this.pending[this.pending.length - 1] = event;
		} else {
			this.pending.push(event);
		}
		this.wake?.();
	}

	/** Ends the stream of events, with an error if one is given. */
	close(end: { error?: unknown } = {}): void {
		this.end ??= end;
		this.wake?.();
	}

	async *events(): AsyncGenerator<ReplyEvent> {
		for (;;) {
			const event = this.pending.shift();
			if (event !== undefined) {
				yield event;
			} else if (this.end !== undefined) {
				if ('error' in this.end) {
					throw this.end.error;
				}
				return;
			} else {
				await new Promise<void>(resolve => {
					this.wake = resolve;
				});
			}
		}
	}
}
