// A commit that is composed of the work of several agents. Git reads objects alone and builds the tree in an index of
// its own: nothing is checked out, and no content comes from anywhere but the agents' commits.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { makeStates } from '../../agents/steps/stepChain.ts';
import { changesBetween } from '../../agents/steps/stepContent.ts';
import { append } from '../../base/append.ts';
import { UserFacingError } from '../../base/errors.ts';
import { ERRAND_IDENTITY, type GitLocation, runGit } from '../../base/git.ts';
import { GitError } from '../../base/gitError.ts';
import { BYTES } from '../../base/gitNames.ts';
import { linesIn, splitLines, withLines } from '../../base/hunks.ts';
import { oneLine } from '../../base/plainText.ts';
import type { Composition } from '../../contract/compositions.ts';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import type { Checkout } from './checkout.ts';
import { type CheckoutGit, entriesOf, findTwice, type TreeEntry } from './checkoutFiles.ts';
import { CheckoutSource } from './checkoutSource.ts';
import { commitEnvironment, readIdentity } from './commitIdentity.ts';
import { writeMarker } from './folderRetention.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { gitConfigurationIn, sourceFailure } from './sourceRepository.ts';
import type { TaskLog } from './taskLog.ts';
import { commitSubject, listed } from './taskNames.ts';

const REFERENCES = 'refs/errand/composed';
const FILES: ReadonlySet<string | undefined> = new Set(['100644', '100755']);
/** In bytes. A larger file is taken as a whole. */
const MAXIMUM_FILE = 8 * 1024 * 1024;

const TITLE = 'Composed of the work of several agents:';
const MAXIMUM_TITLE = 200;

/** Stands for an agent where executions that compose the work of others are queued. It has nothing to start. */
export const COMPOSER: Agent = {
	id: 'composition',
	label: 'Composition',
	models: [''],
	isBuiltIn: false,
	/** What tests are likely to need. */
	megabytes: 500,
	launch: () => Promise.reject(new Error('nothing is started for a composition')),
};

export interface ComposingRun {
	task: TaskRecord;
	execution: ExecutionRecord;
	store: TaskStore;
	folder: string;
	/** Starts from the commit that the agents began with. */
	checkout: Checkout;
	log: TaskLog;
	signal: AbortSignal;
}

export interface CompositionCommit {
	commit: string;
	lacksIdentity: boolean;
}

/**
 * Writes the commit into the repository of the checkout, and keeps it as a state of the task's files. Throws a
 * UserFacingError if the choice is not what the agents have left, or does not fit together.
 */
export async function composeWork(composition: Composition, run: ComposingRun): Promise<CompositionCommit> {
	const { task, execution, store, folder, checkout, log } = run;
	const { origins, ...composed } = await compose(composition, run);
	const message = [TITLE, ...origins].join('\n');
	log.step('agent_tool', message, 'success');
	const place = { step: store.entryCount(task) - 1, agent: execution.position };
	const before = await makeStates(checkout, folder, String(execution.position));
	const facts = await changesBetween(folder, { before, commit: composed.commit });
	const title = oneLine(message, MAXIMUM_TITLE);
	store.steps.add(task, { ...place, tool: 'edit', title, tree: composed.commit, ...facts, approximate: false });
	// The tests get a repository like it.
	await checkout.makeAgentRepository();
	await writeMarker(folder, { agent: COMPOSER.id });
	return composed;
}

async function compose(
	composition: Composition,
	{ task, store, folder, signal }: ComposingRun,
): Promise<CompositionCommit & { origins: string[] }> {
	const sourceFolder = folderOfRepoUrl(task.repoUrl);
	const executions = store.executions(task);
	const gitFolder = path.join(folder, 'git');
	const location: GitLocation & { gitFolder: string } = {
		...{ gitFolder, home: gitFolder, cwd: folder },
		configuration: gitConfigurationIn(folder),
	};
	const git: CheckoutGit = (args, more = {}) => runGit(location, args, { ...more, signal });
	const source = new CheckoutSource(location, sourceFolder, signal);
	const { base, results } = composition;
	for (const { agent, commit } of results) {
		const branch = executions[agent]?.branchName ?? '';
		const reference = `${REFERENCES}/${agent}`;
		await source.fetch(`refs/heads/${branch}`, reference).catch(error => {
			const isGone = error instanceof GitError && /couldn't find remote ref/.test(error.stderr);
			throw isGone ? isMoved(branch) : sourceFailure(error, sourceFolder);
		});
		if ((await git(['rev-parse', '--verify', reference])).trim() !== commit) {
			throw isMoved(branch);
		}
	}
	const tree = await composedTree(git, path.join(gitFolder, 'composition-index'), composition);
	if (tree === (await git(['rev-parse', '--verify', `${base}^{tree}`])).trim()) {
		throw new UserFacingError('What was chosen changes nothing, so there is nothing to compose.');
	}
	const agents = results
		.filter(({ agent }) => takenFrom(composition, agent).length > 0)
		.map(({ agent }) => ({ agent, name: executions[agent]?.agent ?? '' }));
	const origins = agents.map(
		({ agent, name }) => `${name} (${executions[agent]?.branchName}): ${listed(takenFrom(composition, agent))}`,
	);
	const trailers = [...new Set(agents.map(({ name }) => `Errand-Agent: ${name}`))];
	const identity = await readIdentity(location, sourceFolder, signal);
	const commit = await git(['commit-tree', tree, '-p', base, '-F', '-'], {
		input: [commitSubject(task.prompt), '', TITLE, ...origins, '', ...trailers, ''].join('\n'),
		env: commitEnvironment(identity ?? ERRAND_IDENTITY),
	});
	return { commit: commit.trim(), lacksIdentity: identity === undefined, origins };
}

/** Writes the tree with an index that is removed afterwards. Throws a UserFacingError. */
export async function composedTree(git: CheckoutGit, index: string, composition: Composition): Promise<string> {
	const { base, results } = composition;
	const trees = new Map<number, Entries>();
	for (const { agent, commit } of results) {
		trees.set(agent, await entriesAt(git, commit));
	}
	const changed = await changedEntries(composition, { git, base: await entriesAt(git, base), trees });
	return writeTree(git, index, base, changed);
}

export const isMoved = (branch: string) =>
	new UserFacingError(`The branch "${branch}" was moved or deleted since the choice was made. Compare again.`);

/** The files, links and submodules of a tree by their names, which are byte strings. */
type Entries = ReadonlyMap<string, TreeEntry>;

interface Parts {
	git: CheckoutGit;
	base: Entries;
	/** By the positions of the agents. */
	trees: ReadonlyMap<number, Entries>;
}

type ComposedFile = Composition['files'][number];
type ComposedHunk = Extract<ComposedFile, { hunks: unknown }>['hunks'][number];

/** Returns what the tree has at the names that are not as in the base; undefined for what is not there. */
async function changedEntries(
	{ files }: Composition,
	parts: Parts,
): Promise<Map<string, Pick<TreeEntry, 'mode' | 'object'> | undefined>> {
	const { base } = parts;
	const changed = new Map<string, Pick<TreeEntry, 'mode' | 'object'> | undefined>();
	for (const file of files) {
		for (const shown of 'paths' in file ? file.paths : [file.path]) {
			const name = Buffer.from(shown).toString('latin1');
			if (changed.has(name)) {
				throw refused(shown, 'is chosen twice');
			}
			changed.set(name, 'paths' in file ? wholeEntry(file.agents, name, parts) : await merged(file, name, parts));
		}
	}
	const names = new Set(base.keys());
	for (const [name, entry] of changed) {
		entry === undefined ? names.delete(name) : names.add(name);
	}
	const twice = findTwice([...names]);
	if (twice !== undefined) {
		throw refused(Buffer.from(twice, 'latin1').toString(), 'would be both a file and a folder');
	}
	return changed;
}

/** Returns what all of the agents have left at a name. */
function wholeEntry(agents: readonly number[], name: string, { base, trees }: Parts): TreeEntry | undefined {
	const [first, ...others] = agents.map(agent => treeOf(agent, trees).get(name));
	const isSame = others.every(other => other?.object === first?.object && other?.mode === first?.mode);
	if (!isSame || (first === undefined && !base.has(name))) {
		throw refused(name, 'is not as the agents have left it');
	}
	return first;
}

async function merged(
	{ path: shown, hunks }: Extract<ComposedFile, { hunks: unknown }>,
	name: string,
	{ git, base, trees }: Parts,
): Promise<Pick<TreeEntry, 'mode' | 'object'>> {
	const linesOf = async (entry: TreeEntry | undefined): Promise<Buffer[]> => {
		if (!FILES.has(entry?.mode) || entry === undefined || entry.size > MAXIMUM_FILE) {
			throw refused(shown, 'has no lines that could be taken one by one');
		}
		return splitLines(Buffer.from(await git(['cat-file', 'blob', entry.object], BYTES), 'latin1'));
	};
	const own = await linesOf(base.get(name));
	const others = new Map<number, Buffer[]>();
	for (const agent of new Set(hunks.flatMap(({ origins }) => origins.map(origin => origin.agent)))) {
		others.set(agent, await linesOf(treeOf(agent, trees).get(name)));
	}
	const changes = hunks.map((hunk, at) => {
		const before = hunks[at - 1];
		// As for git, changes that touch are in conflict.
		if (!isWithin(hunk, own) || (before && before.start + before.count >= hunk.start)) {
			throw refused(shown, 'has changes that overlap or are not in its lines');
		}
		return { ...hunk, lines: linesOfHunk(hunk, others) ?? refuse(shown) };
	});
	const input = withLines(own, changes).toString('latin1');
	const object = await git(['hash-object', '-w', '--no-filters', '--stdin'], { ...BYTES, input });
	return { mode: base.get(name)?.mode ?? '', object: object.trim() };
}

/** Returns the lines that all origins of a hunk have, or undefined if they do not have the same ones. */
function linesOfHunk({ origins }: ComposedHunk, others: ReadonlyMap<number, Buffer[]>): Buffer[] | undefined {
	const versions = origins.map(origin => {
		const lines = others.get(origin.agent) ?? [];
		return isWithin(origin, lines) ? linesIn(lines, origin) : undefined;
	});
	const [first] = versions;
	const whole = first && Buffer.concat(first);
	return whole && versions.every(lines => lines && Buffer.concat(lines).equals(whole)) ? first : undefined;
}

const isWithin = ({ start, count }: { start: number; count: number }, lines: readonly Buffer[]) =>
	start + count <= lines.length;

/** Writes the tree of `base` with other entries. */
async function writeTree(
	git: CheckoutGit,
	index: string,
	base: string,
	changed: ReadonlyMap<string, Pick<TreeEntry, 'mode' | 'object'> | undefined>,
): Promise<string> {
	const env = { GIT_INDEX_FILE: index };
	const lines: string[] = [];
	// Removals come first, because a new entry may take the place of a removed one.
	const removed = [...changed].filter(([, entry]) => entry === undefined);
	append(
		lines,
		removed.map(([name]) => `0 ${'0'.repeat(base.length)}\t${name}\0`),
	);
	append(
		lines,
		[...changed].flatMap(([name, entry]) => (entry ? [`${entry.mode} ${entry.object}\t${name}\0`] : [])),
	);
	await git(['read-tree', base], { env });
	await git(['update-index', '-z', '--index-info'], { ...BYTES, env, input: lines.join('') });
	const tree = (await git(['write-tree'], { env })).trim();
	await rm(index, { force: true });
	return tree;
}

function treeOf(agent: number, trees: Parts['trees']): Entries {
	const entries = trees.get(agent);
	if (entries === undefined) {
		throw new UserFacingError(`The choice names agent ${agent + 1} without its commit.`);
	}
	return entries;
}

/** Returns what is taken from an agent, for a log and a commit. */
function takenFrom({ files }: Composition, agent: number): string[] {
	return files.flatMap(file => {
		if ('paths' in file) {
			return file.agents.includes(agent) ? [JSON.stringify(file.paths.at(-1)).slice(1, -1)] : [];
		}
		const count = file.hunks.filter(({ origins }) => origins.some(origin => origin.agent === agent)).length;
		const of = `${count} of ${file.hunks.length} ${file.hunks.length === 1 ? 'change' : 'changes'}`;
		return count === 0 ? [] : [`${JSON.stringify(file.path).slice(1, -1)} (${of})`];
	});
}

const entriesAt = async (git: CheckoutGit, commit: string): Promise<Entries> =>
	new Map((await entriesOf(git, commit)).map(entry => [entry.name, entry]));

const refused = (name: string, why: string) =>
	new UserFacingError(`${JSON.stringify(name)} ${why}. Compare again, then make another choice.`);

function refuse(name: string): never {
	throw refused(name, 'does not have the lines that were chosen');
}
