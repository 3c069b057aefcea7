import { writableState } from './encrypted/encryptedDraft.ts';
import type { PageHost, SavedState } from './page.ts';
import type { PageState } from './pageState.ts';

/** The debounce for telling the host of changes, in milliseconds. */
const TELL_AFTER_MS = 200;

/** The parts of the page that keeping its state needs. */
export interface KeepingPage {
	readonly host: PageHost;
	readonly copy: WindowCopy;
	/** The state that is shown now. */
	readonly nextState: PageState;
}

/** Keeps the page's state, and stores the part that may be stored in the window, the editor and the host. */
export class StateKeeper {
	state: SavedState = { draft: '' };
	private readonly page: KeepingPage;
	/** Set while the host has not been told of a change. */
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

	/** Tells the host of pending changes at once, because the page may be about to be closed. */
	flush(): void {
		if (this.telling !== undefined) {
			clearTimeout(this.telling);
			this.telling = undefined;
			this.page.host.postMessage({ kind: 'state-keep', state: JSON.stringify(this.writable) });
			this.holdDraft();
		}
	}

	/** Hands a draft of an encrypted conversation to the host, which holds it for that conversation. */
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

type Box = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The page's state in this window only. It is written with every key press, and nothing else writes it, so a reload
 * loses nothing and each of two windows on one folder gets its own state back.
 */
export class WindowCopy {
	private readonly key: string;
	private readonly box: () => Box;

	/** `place` distinguishes workspaces that are opened one after another in the same window. */
	constructor(place: string, box: () => Box = () => sessionStorage) {
		this.key = `errand.chat.${place}`;
		this.box = box;
	}

	/** Returns the state as JSON, or undefined if there is none or the browser allows no storage. */
	read(): string | undefined {
		try {
			return this.box().getItem(this.key) ?? undefined;
		} catch {
			return undefined;
		}
	}

	write(state: SavedState): void {
		try {
			this.box().setItem(this.key, JSON.stringify(state));
		} catch {
			// The storage is full, so the copies of the editor and the host are newer than this one.
			this.forget();
		}
	}

	private forget(): void {
		try {
			this.box().removeItem(this.key);
		} catch {
			// The browser allows no storage, so there is nothing to remove.
		}
	}
}
