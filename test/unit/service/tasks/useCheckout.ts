import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { readSource, writeGitConfiguration } from '../../../../src/service/tasks/sourceRepository.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

/** The words of a commit when there was nothing to commit. */
export const NOTHING = {
	commit: undefined,
	lacksIdentity: false,
	leftOut: [],
	specialFiles: [],
	oversizedLists: [],
	unreadable: [],
	submodules: [],
	newFiles: undefined,
};

/** Sets up a repository and a folder for its checkout for each test of a `describe`, in whose body it is called. */
export function useCheckout() {
	let repository: TemporaryRepository;
	let folder: string;
	let controller: AbortController;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-checkout-'));
		controller = new AbortController();
	});
	afterEach(async () => {
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	const options = (sourceFolder = repository.path) => ({
		folder,
		sourceFolder,
		agent: 'demo',
		signal: controller.signal,
	});

	return {
		get repository() {
			return repository;
		},
		get folder() {
			return folder;
		},
		/** Stops whatever a checkout of the test does. */
		stop(reason: Error): void {
			controller.abort(reason);
		},
		/** Checks the branch of the repository out, or of one in another folder. */
		async checkOut(source?: string): Promise<Checkout> {
			const { sourceFolder, signal } = options(source);
			await writeGitConfiguration(folder, signal);
			const query = { folder: sourceFolder, branch: undefined, scratchFolder: folder, signal };
			return await Checkout.create({ ...options(source), source: await readSource(query) });
		},
		/** Opens the checkout again, as a service does that was started anew. */
		reopen: () => Checkout.reopen(options(), 'main'),
	};
}
