import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StepChain } from '../src/agents/steps/stepChain.ts';
import { Checkout } from '../src/service/tasks/checkout.ts';
import { readSource, writeGitConfiguration } from '../src/service/tasks/sourceRepository.ts';
import { type BenchRow, median } from './row.ts';

const FILES = 10_000;
const PER_FOLDER = 100;
const CHANGED = 10;
const ROUNDS = 25;
const LIMIT_MS = 30;
const GOAL = 1.5;

/** Measures goal 21: how long an agent waits for the state of a step, beside git that adds the files and writes their tree. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-')));
	try {
		const sourceFolder = makeRepository(path.join(scratch, 'repository'));
		const folder = path.join(scratch, 'work');
		fs.mkdirSync(folder);
		const configuration = path.join(folder, 'gitconfig');
		const signal = new AbortController().signal;
		await writeGitConfiguration(configuration, signal);
		const query = { folder: sourceFolder, branch: 'main', scratchFolder: folder, configuration, signal };
		const options = { folder, sourceFolder, configuration, agent: 'bench', signal };
		const checkout = await Checkout.create({ ...options, source: await readSource(query) });
		const chain = await StepChain.begin(checkout, folder, { prefix: 'refs/errand/steps/bench', name: '0-1' });
		const byHand = repositoryByHand(path.join(scratch, 'by-hand'), checkout.tree);
		const [ours, theirs]: [number[], number[]] = [[], []];
		let isSame = true;
		for (let round = 0; round < ROUNDS; round++) {
			for (let file = 0; file < CHANGED; file++) {
				fs.appendFileSync(nameOf(checkout.tree, file * 997), `export const round${round} = ${file};\n`);
			}
			let tree = '';
			const first = round % 2 === 0;
			const hand = async () => {
				theirs.push(
					await timeOf(async () => {
						tree = byHand();
					}),
				);
			};
			await (first ? hand() : undefined);
			let commit = '';
			ours.push(
				await timeOf(async () => {
					await chain.look(chain.mark());
					const state = await chain.keep('A step');
					commit = state?.commit ?? '';
				}),
			);
			await (first ? undefined : hand());
			isSame &&= tree === treeOf(path.join(folder, 'steps'), commit);
		}
		const [mean, other] = [median(ours), median(theirs)];
		const ratio = mean / other;
		return [
			{
				goal: '21',
				what: `the state of a step with ${CHANGED} changed files in a repository of ${FILES.toLocaleString('en')}, read and written`,
				ours: `${mean.toFixed(1)} ms`,
				peers: `git add --all and git write-tree by hand ${other.toFixed(1)} ms = 1; limit ${LIMIT_MS} ms`,
				ratio: ratio.toFixed(2),
				met: isSame && mean <= LIMIT_MS && ratio <= GOAL ? 'yes' : 'no',
				...((os.loadavg()[0] ?? 0) > os.availableParallelism() * 2 && {
					reason: `measured on a loaded machine (load ${Math.round(os.loadavg()[0] ?? 0)} on ${os.availableParallelism()} cores)`,
				}),
			},
		];
	} finally {
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

const nameOf = (folder: string, file: number) =>
	path.join(folder, 'src', `part${Math.floor(file / PER_FOLDER)}`, `file${file}.ts`);

async function timeOf(work: () => Promise<void>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

function makeRepository(folder: string): string {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
	fs.mkdirSync(folder);
	git('init', '--quiet', '--initial-branch=main');
	git('config', 'user.name', 'Tester');
	git('config', 'user.email', 'tester@example.invalid');
	for (let file = 0; file < FILES; file++) {
		const name = nameOf(folder, file);
		fs.mkdirSync(path.dirname(name), { recursive: true });
		fs.writeFileSync(name, `export const value = ${file};\n`.repeat(40));
	}
	git('add', '--all');
	git('commit', '--quiet', '-m', 'First');
	return folder;
}

/** Returns what a user would do: add all files of a folder to an index, and write its tree. */
function repositoryByHand(gitFolder: string, tree: string): () => string {
	const env = { ...process.env, GIT_DIR: gitFolder, GIT_WORK_TREE: tree };
	const git = (...args: string[]) => execFileSync('git', args, { env, cwd: tree, encoding: 'utf8' });
	git('init', '--quiet', '--template=');
	const write = () => {
		git('add', '--all');
		return git('write-tree').trim();
	};
	write();
	return write;
}

function treeOf(gitFolder: string, commit: string): string {
	return execFileSync('git', ['--git-dir', gitFolder, 'rev-parse', `${commit}^{tree}`], { encoding: 'utf8' }).trim();
}
