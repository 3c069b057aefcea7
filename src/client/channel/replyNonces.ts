import { REPLY_NONCE_DISTANCE } from '../../contract/channel.ts';

/**
 * contract: not shown. Checks the nonces of a streamed reply's frames (unspecified.md, "framing of `/message_stream`"):
 * the first is the request's plus 2000; the second is the same or one more, and all later ones repeat that step.
 */
export class ReplyNonces {
	private next: number;
	private count = 0;
	private step = 0;

	constructor(requestNonce: number) {
		this.next = requestNonce + REPLY_NONCE_DISTANCE;
	}

	/** Returns whether a frame with this nonce may come next, and then expects the following nonce. */
	accept(nonce: number): boolean {
		if (this.count === 1 && nonce === this.next + 1) {
			this.step = 1;
			this.next = nonce;
		}
		const isNext = nonce === this.next;
		this.next += this.step;
		this.count++;
		return isNext;
	}
}
