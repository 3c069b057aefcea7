import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from '../bootstrap/dependencies.mjs';
import { cache, root } from '../bootstrap/folders.mjs';
import { withLock } from '../bootstrap/lock.mjs';
import { ensureBrowser } from '../browser.ts';
import { build } from '../build.ts';
import { ensureEditor } from '../editor/install.ts';
import { copyExtension } from '../editor/installExtension.ts';
import { ensureAgents, testAgents } from './agents.ts';
import { check } from './check.ts';
import { runEditorTests } from './editor.ts';
import { isInGate } from './gate.ts';
import { runMocha } from './mocha.ts';
import { withRecordingProxy } from './recordingProxy.ts';
import { testTeam } from './team.ts';
import { makeTemporaryFolder } from './temporaryFolder.ts';
import type { Totals } from './totals.ts';
import { sharedWindows } from './windows.ts';

export type StageName =
	| 'check'
	| 'unit'
	| 'agents'
	| 'team'
	| 'conformance'
	| 'interoperability'
	| 'page'
	| 'editor'
	| 'e2e'
	| 'screenshots';

const cores = os.availableParallelism();

/** Tests spend part of their time waiting. */
const jobs = 2 * cores;

/** Makes the conformance stage break the code, to see whether its proofs notice. */
const MUTATE = '--mutate';

const readsAllProofs = /^test\/conformance\/(?:faults\/|requirements\.)/;

const dayMs = 24 * 60 * 60 * 1000;

/** The stages of `npm run test:all`, and of `npm test`, which runs a part of their files and leaves out some of them. */
export const stageNames: readonly StageName[] = [
	'check',
	'unit',
	'agents',
	'team',
	'conformance',
	'page',
	'editor',
	'e2e',
];

export interface TestRunOptions {
	/** Flags for the build of the extension. */
	buildFlags?: string[];
	/** True if the window tests save what they show; true by default. */
	screenshots?: boolean;
	/** True if only the files of the gate run. */
	gate?: boolean;
}

/** One run of some stages. Its programs are built once, in a folder of the run that is removed at its end. */
export class TestRun {
	private readonly folder = path.join(cache, 'runs', randomBytes(6).toString('hex'));
	/** Outside the project, because a folder that a test opens must not be part of the project. */
	private readonly scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-test-'));
	private readonly options: TestRunOptions;
	/** The cache for programs that are started again and again, so that they are compiled only once. */
	private readonly compileCache = { NODE_COMPILE_CACHE: path.join(this.folder, 'compiled') };
	/** The folder for what unit tests, conformance, pages and the editor's tests write, and for the totals of all stages. */
	private readonly temporary = makeTemporaryFolder();
	private editor: Promise<Record<string, string>> | undefined;
	private processes: Promise<true> | undefined;

	constructor(options: TestRunOptions = {}) {
		this.options = options;
		removeOldRuns();
	}

	async run(name: StageName, args: string[] = []): Promise<Totals> {
		// The totals are written after each test, which a disk makes slow.
		const folder = path.join(this.temporary, name);
		fs.mkdirSync(folder, { recursive: true });
		switch (name) {
			case 'check':
				return check();
			case 'unit':
				return this.withProcesses(environment =>
					runMocha({
						files: this.filesOf('unit'),
						args,
						folder,
						environment: { ...environment, TMPDIR: this.temporary },
						jobs,
						filesPerProcess: 12,
						hooks: 'test/support/vscodeStandIn.ts',
					}),
				);
			case 'agents':
				return this.withProcesses(environment =>
					testAgents({ files: this.filesOf('agents'), args, folder, environment }),
				);
			case 'team':
				return this.withProcesses(environment => testTeam({ files: this.filesOf('team'), args, folder, environment }));
			case 'conformance':
				if (args.includes(MUTATE)) {
					const { mutateConformance } = await import('./mutate.ts');
					const chosen = args.filter(argument => argument !== MUTATE);
					return mutateConformance({ chosen, folder: path.join(this.folder, name), jobs: cores });
				}
				return this.withProcesses(environment => {
					const files = this.filesOf('conformance');
					return runMocha({
						files,
						args,
						folder,
						environment: { ...environment, TMPDIR: this.temporary },
						// Most of the time passes in waiting: for parts missing in a falsified reply, or for a limit to expire.
						jobs: 4 * cores,
						filesPerProcess: 3,
						// These load the proofs of all files, and would run those of a file beside them twice. They also take longest.
						together: files.filter(file => readsAllProofs.test(file)).map(file => [file]),
					});
				});
			case 'interoperability':
				await ensureDependencies(path.join(root, 'bench'));
				await ensureAgents();
				await ensureAgents('furtherAgents');
				await ensureDependencies(path.join(root, 'test', 'support', 'mcpClients'));
				return runMocha({ files: this.filesOf('interoperability'), args, folder });
			case 'editor':
				return this.withEditor(environment =>
					runEditorTests({
						files: this.filesOf('editor'),
						args,
						folder,
						environment: { ...environment, TMPDIR: this.temporary, ERRAND_TEST_SCRATCH: this.temporary },
					}),
				);
			case 'page':
			case 'e2e':
			case 'screenshots':
				await (name === 'screenshots' ? ensureDependencies(path.join(root, 'bench')) : undefined);
				await (name === 'page' ? undefined : ensureAgents());
				return this.withEditor(environment =>
					runMocha({
						files: this.filesOf(name),
						args,
						folder,
						environment: { ...environment, ...(name === 'page' && { TMPDIR: this.temporary }) },
						// A busy window needs more than one processor, so more windows at a time gain nothing.
						jobs: cores,
						// The pages of several files share a browser.
						filesPerProcess: name === 'page' ? 4 : 1,
						together: Object.values(sharedWindows),
						first: 'test/page/hostile',
						hooks: 'test/support/windowHooks.ts',
						runsFailedAgain: true,
					}),
				);
		}
	}

	/** Returns the files of a stage that this run includes, in order. */
	private filesOf(stage: StageName): string[] {
		const files = fs.globSync(`test/${stage}/**/*.test.ts`, { cwd: root }).map(file => file.replaceAll(path.sep, '/'));
		const chosen = files.sort().filter(file => !this.options.gate || isInGate(file));
		if (chosen.length === 0) {
			throw new Error(`There are no tests in test/${stage}.`);
		}
		return chosen;
	}

	/**
	 * Builds the programs that are separate processes. Tests start some of them hundreds of times, which takes a third of
	 * the processor time that the sources would take.
	 */
	private async withProcesses(run: (environment: Record<string, string>) => Promise<Totals>): Promise<Totals> {
		const programs = path.join(this.folder, 'programs');
		this.processes ??= build(`--processes=${programs}`);
		await this.processes;
		return withRecordingProxy(environment =>
			run({ ...environment, ...this.compileCache, ERRAND_TEST_PROGRAMS: programs }),
		);
	}

	private async withEditor(run: (environment: Record<string, string>) => Promise<Totals>): Promise<Totals> {
		const prepared = await this.prepareEditor();
		return withRecordingProxy(environment => run({ ...environment, ...this.compileCache, ...prepared }));
	}

	/**
	 * Begins to install and build what later stages need, beside those that need nothing of it. A stage that needs what
	 * could not be had tries again or says why.
	 */
	async prepare(): Promise<void> {
		await ensureAgents().catch(() => {});
		await this.prepareEditor().catch(() => {});
	}

	/** Builds the extension, an editor and a browser, and returns the environment variables that the tests read. */
	prepareEditor(): Promise<Record<string, string>> {
		this.editor ??= (async () => {
			const browser = await ensureBrowser();
			const editor = await ensureEditor();
			const extension = path.join(this.folder, 'extension');
			const tests = path.join(this.folder, 'editor-tests');
			// The copy is made under the lock, because another run's build empties dist first.
			await withLock(path.join(cache, 'build.lock'), 'building', async () => {
				await build(...(this.options.buildFlags ?? []));
				await build('--tests');
				copyExtension(root, extension);
				fs.cpSync(path.join(cache, 'out', 'editor'), tests, { recursive: true });
			});
			return {
				CHROME_PATH: browser,
				ERRAND_TEST_EDITOR: editor,
				ERRAND_TEST_EXTENSION: extension,
				ERRAND_TEST_BUNDLE: tests,
				ERRAND_TEST_SCRATCH: this.scratch,
				...(this.options.screenshots !== false && { ERRAND_TEST_SCREENSHOTS: 'yes' }),
			};
		})();
		return this.editor;
	}

	close(): void {
		for (const folder of [this.folder, this.scratch, this.temporary]) {
			fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
		}
	}
}

/** Removes the folders of runs that were killed. */
function removeOldRuns(): void {
	const folder = path.join(cache, 'runs');
	for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
		const run = path.join(folder, name);
		if (Date.now() - (fs.statSync(run, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > dayMs) {
			fs.rmSync(run, { recursive: true, force: true });
		}
	}
}
