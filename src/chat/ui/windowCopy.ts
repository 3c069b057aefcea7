import type { SavedState } from './page.ts';

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
