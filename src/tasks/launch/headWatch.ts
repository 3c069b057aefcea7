import { DisposableOwner, DisposableStore } from '../../base/disposable.ts';
import type { GitApi } from '../../platform/git.ts';

/** Reports when another branch is checked out in one of the repositories, or when the repositories change. */
export class HeadWatch extends DisposableOwner {
	private readonly onChange: () => void;
	private git: GitApi | undefined;
	private readonly watches = this.disposables.add(new DisposableStore());
	private heads = '';

	constructor(onChange: () => void) {
		super();
		this.onChange = onChange;
	}

	/** True if several repositories are open, so that the active file decides which of them is meant. */
	get isSeveral(): boolean {
		return (this.git?.repositories.length ?? 0) > 1;
	}

	/** Watches the repositories that are open now. What was read too late, after the watch was disposed of, has no effect. */
	watch(git: GitApi): void {
		if (this.git !== git) {
			this.git = git;
			this.disposables.add(git.onDidOpenRepository(this.onChange));
		}
		this.watches.clear();
		this.heads = headsOf(git);
		for (const { state } of git.repositories) {
			this.watches.add(
				state.onDidChange(() => {
					// A repository reports every change of its files.
					if (headsOf(git) !== this.heads) {
						this.onChange();
					}
				}),
			);
		}
	}
}

const headsOf = ({ repositories }: GitApi): string =>
	repositories.map(({ rootUri, state }) => `${rootUri}\0${state.HEAD?.name}`).join('\n');
