import { writableState } from './encrypted/encryptedDraft.ts';
import type { PageHost, SavedState } from './page.ts';
import type { PageState } from './pageState.ts';
import type { WindowCopy } from './windowCopy.ts';

/** How long the host is not told while somebody types. Milliseconds. */
const TELL_AFTER_MS = 200;

/** The page, as far as it is asked about what it keeps. */
export interface KeepingPage {
	readonly host: PageHost;
	readonly copy: WindowCopy;
	/** What it shows now. */
	readonly nextState: PageState;
}

/** What the page keeps for itself, and has the window, the editor and the host keep as far as it may be written down. */
export class StateKeeper {
	state: SavedState = { draft: '' };
	private readonly page: KeepingPage;
	/** Set while the host has yet to be told. */
	private telling: ReturnType<typeof setTimeout> | undefined;

	constructor(page: KeepingPage) {
		this.page = page;
	}

	save(state: SavedState): void {
		this.state = { ...state, savedAt: Date.now() };
		const { writable } = this;
		this.page.copy.write(writable);
		this.page.host.setState(writable);
		this.telling ??= setTimeout(() => this.flush(), TELL_AFTER_MS);
	}

	/** Tells the host at once what it has yet to be told: the page may be about to go. */
	flush(): void {
		if (this.telling !== undefined) {
			clearTimeout(this.telling);
			this.telling = undefined;
			this.page.host.postMessage({ kind: 'state-keep', state: JSON.stringify(this.writable) });
			this.holdDraft();
		}
	}

	/** What was typed in an encrypted conversation waits for it at the host. */
	holdDraft(): void {
		const { draftOf, draft } = this.state;
		if (draftOf !== undefined) {
			this.page.host.postMessage({ kind: 'draft-hold', conversation: draftOf, text: draft });
		}
	}

	private get writable(): SavedState {
		return writableState(this.state, this.page.nextState);
	}
}
