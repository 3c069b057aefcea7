import type { SavedState } from './page.ts';

type Box = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * What the page keeps, in this window alone. It is written in the moment in which something is typed, and nobody else
 * writes it: a reload loses nothing, and of two windows on one folder each has its own back.
 */
export class WindowCopy {
	private readonly key: string;
	private readonly box: () => Box;

	/** `place`: tells workspaces apart that are open one after another in the same window. */
	constructor(place: string, box: () => Box = () => sessionStorage) {
		this.key = `errand.chat.${place}`;
		this.box = box;
	}

	/** As JSON; undefined where there is none, or the browser lets the page keep nothing. */
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
			// There is no room: then the copies of the editor and the host are newer than what is here.
			this.forget();
		}
	}

	private forget(): void {
		try {
			this.box().removeItem(this.key);
		} catch {
			// Nothing was ever kept here.
		}
	}
}
