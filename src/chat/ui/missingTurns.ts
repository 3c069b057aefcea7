import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { HostRequests } from './hostRequests.ts';
import type { PageState } from './pageState.ts';

/** The page, as far as it lacks turns of its conversation. */
export interface MissingOwner extends ReactiveControllerHost {
	readonly requests: HostRequests;
	readonly nextState: PageState;
}

/** Asks the host for turns that the page does not have, and keeps what it says where there are none to be had. */
export class MissingTurns implements ReactiveController {
	private readonly owner: MissingOwner;
	private isSnapshotWanted = false;
	/** The first turn when the ones before it were asked for. */
	private before: string | undefined;
	/** Why the conversation is not shown as it is, as a sentence, and what asks for it again. */
	problem: { message: string; ask(): void } | undefined;

	constructor(owner: MissingOwner) {
		this.owner = owner;
		owner.addController(this);
	}

	hostConnected(): void {}

	/** The page has loaded. */
	begin(): void {
		void this.askForSnapshot('page-ready');
	}

	/** A change was missed. Asked once for each gap: until the snapshot comes, every further change would be missed too. */
	catchUp(): void {
		if (!this.isSnapshotWanted) {
			void this.askForSnapshot('snapshot-request');
		}
	}

	/** Asks for those before the first one that the page has, once. */
	async earlier(): Promise<void> {
		const { turns, earlier } = this.owner.nextState;
		const [first] = turns;
		if (!first || earlier === 0 || this.before === first.id) {
			return;
		}
		this.before = first.id;
		try {
			await this.owner.requests.ask('earlier-request', { before: first.id });
		} catch (error) {
			if (this.before === first.id) {
				this.fail(error, () => {
					this.before = undefined;
					void this.earlier();
				});
			}
		}
	}

	/** What was asked for has come, or makes the question idle. */
	received(kind: 'snapshot-set' | 'turns-prepend'): void {
		this.isSnapshotWanted &&= kind !== 'snapshot-set';
		this.before = undefined;
		this.problem = undefined;
		this.owner.requestUpdate();
	}

	private async askForSnapshot(kind: 'page-ready' | 'snapshot-request'): Promise<void> {
		this.isSnapshotWanted = true;
		try {
			await this.owner.requests.ask(kind, {});
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
