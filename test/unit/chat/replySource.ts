import type { ReplyEvent } from '../../../src/chat/model/applyEvent.ts';

/** A stream that a test drives: it gives what it is told, when it is told. */
export class ReplySource {
	private readonly queue: (ReplyEvent | Error | 'end')[] = [];
	private wake: (() => void) | undefined;
	/** The reader has left the stream. */
	left = false;

	give(...events: ReplyEvent[]): void {
		this.queue.push(...events);
		this.wake?.();
	}

	text(text: string): void {
		this.give({ type: 'text', text });
	}

	end(reason = 'stop'): void {
		this.queue.push({ type: 'finish', reason }, 'end');
		this.wake?.();
	}

	fail(error: Error): void {
		this.queue.push(error);
		this.wake?.();
	}

	async *stream(): AsyncGenerator<ReplyEvent, void> {
		try {
			for (;;) {
				const next = this.queue.shift();
				if (next === undefined) {
					await new Promise<void>(resolve => {
						this.wake = resolve;
					});
				} else if (next instanceof Error) {
					throw next;
				} else if (next === 'end') {
					return;
				} else {
					yield next;
				}
			}
		} finally {
			this.left = true;
		}
	}
}
