import type { Page } from './pageElement.ts';
import type { PageState } from './pageState.ts';

/** The parts of the page that loading missing turns needs. */
export interface MissingOwner {
	readonly page: Page;
	readonly nextState: PageState;
	requestUpdate(): void;
}

/** Asks the host for turns that the page does not have, and keeps the problem if the host cannot give them. */
export class MissingTurns {
	private readonly owner: MissingOwner;
	private isSnapshotWanted = false;
	/** The id of the turn before which turns were requested. */
	private before: string | undefined;
	/** A sentence that says why the conversation is not shown completely, and a function that asks again. */
	problem: { message: string; ask(): void } | undefined;

	constructor(owner: MissingOwner) {
		this.owner = owner;
	}

	/** Must be called when the page has loaded. */
	begin(): void {
		void this.askForSnapshot('page-ready');
	}

	/**
	 * Must be called when a change was missed. It asks once per gap, because every further change is missed too until the
	 * snapshot comes.
	 */
	catchUp(): void {
		if (!this.isSnapshotWanted) {
			void this.askForSnapshot('snapshot-request');
		}
	}

	/** Asks once for the turns before the first one that the page has. */
	async earlier(): Promise<void> {
		const { turns, earlier } = this.owner.nextState;
		const [first] = turns;
		if (!first || earlier === 0 || this.before === first.id) {
			return;
		}
		this.before = first.id;
		try {
			await this.owner.page.requests.ask('earlier-request', { before: first.id });
		} catch (error) {
			if (this.before === first.id) {
				this.fail(error, () => {
					this.before = undefined;
					void this.earlier();
				});
			}
		}
	}

	/** Must be called when a message has arrived that answers the request or makes it pointless. */
	received(kind: 'snapshot-set' | 'turns-prepend'): void {
		this.isSnapshotWanted &&= kind !== 'snapshot-set';
		this.before = undefined;
		this.problem = undefined;
		this.owner.requestUpdate();
	}

	private async askForSnapshot(kind: 'page-ready' | 'snapshot-request'): Promise<void> {
		this.isSnapshotWanted = true;
		try {
			await this.owner.page.requests.ask(kind, {});
		} catch (error) {
			if (this.isSnapshotWanted) {
				this.fail(error, () => void this.askForSnapshot(kind));
			}
		}
		this.isSnapshotWanted = false;
	}

	private fail(error: unknown, ask: () => void): void {
		this.problem = { message: (error as Error).message, ask };
		this.owner.requestUpdate();
	}
}
