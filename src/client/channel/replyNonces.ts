import { REPLY_NONCE_DISTANCE } from '../../contract/channel.ts';

/**
 * contract: not shown. The nonces of a streamed reply's frames (unspecified.md, "framing of `/message_stream`"): the first
 * is that of the request and 2000; the second repeats it or has one more, and all later ones do as the second did.
 */
export class ReplyNonces {
	private next: number;
	private count = 0;
	private step = 0;

	constructor(requestNonce: number) {
		this.next = requestNonce + REPLY_NONCE_DISTANCE;
	}

	/** Whether a frame may come next; it then has. */
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
