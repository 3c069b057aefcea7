import { writableState } from './encrypted/encryptedDraft.ts';
import type { PageHost, SavedState } from './page.ts';
import type { PageState } from './pageState.ts';

/** So much of what was typed a reload may cost. Milliseconds. */
const KEEP_AFTER_MS = 200;

/** What the page keeps for itself, and has the editor and the host keep as far as it may be written down. */
export class StateKeeper {
	state: SavedState = { draft: '' };
	private readonly host: () => PageHost;
	private readonly shown: () => PageState;
	/** Set while the host has yet to be told. */
	private keeping: ReturnType<typeof setTimeout> | undefined;

	/** `shown`: what the page shows now. */
	constructor(host: () => PageHost, shown: () => PageState) {
		this.host = host;
		this.shown = shown;
	}

	save(state: SavedState): void {
		this.state = { ...state, savedAt: Date.now() };
		this.host().setState(this.writable);
		this.keeping ??= setTimeout(() => {
			this.keeping = undefined;
			this.host().postMessage({ kind: 'state-keep', state: JSON.stringify(this.writable) });
			this.holdDraft();
		}, KEEP_AFTER_MS);
	}

	/** What was typed in an encrypted conversation waits for it at the host. */
	holdDraft(): void {
		const { draftOf, draft } = this.state;
		if (draftOf !== undefined) {
			this.host().postMessage({ kind: 'draft-hold', conversation: draftOf, text: draft });
		}
	}

	private get writable(): SavedState {
		return writableState(this.state, this.shown());
	}
}
