import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AgentFolder } from '../../../src/chat/agent/agentFolder.ts';
import { repositoriesOf } from '../../../src/chat/agent/checkpoints.ts';
import type { EarlierWork } from '../../../src/chat/agent/leftWork.ts';
import { TurnFiles } from '../../../src/chat/agent/turnFiles.ts';
import type { AgentWork } from '../../../src/chat/model/agentWork.ts';
import { describeRange } from '../../../src/tasks/apply/commitRanges.ts';
import { useGit } from './useOpenRepository.ts';

/** The files of turns of one conversation, with two repositories, `client` and `server`, in a folder of the test's own. */
export function useTurnFiles() {
	let scratch: string;
	let own: AgentFolder;
	let conversation: string;
	/** What was done before, the latest first. */
	let earlier: EarlierWork[];
	useGit();

	beforeEach(() => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-turn-files-'));
		conversation = randomUUID();
		own = new AgentFolder(path.join(scratch, 'agents'), conversation);
		earlier = [];
		for (const name of ['client', 'server']) {
			repository(name, { [`${name}.txt`]: `${name}\n` });
		}
	});
	afterEach(() => rmSync(scratch, { recursive: true, force: true }));

	const at = (...names: string[]) => path.join(scratch, ...names);
	const inCopy = (...names: string[]) => path.join(own.copy, ...names);
	const git = (name: string, ...args: string[]) => execFileSync('git', ['-C', at(name), ...args], { encoding: 'utf8' });

	function write(file: string, text: string): void {
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	function repository(name: string, files: Record<string, string>): void {
		for (const [file, text] of Object.entries(files)) {
			write(at(name, file), text);
		}
		execFileSync('git', ['init', '--quiet', at(name)]);
		commit(name);
	}

	function commit(name: string): void {
		git(name, 'add', '--all');
		git(name, '-c', 'user.name=A', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--message', 'Commit');
	}

	async function begin(...names: string[]): Promise<TurnFiles> {
		const { places } = await repositoriesOf(names.map(name => at(name)));
		return TurnFiles.begin(places, {
			conversation,
			own,
			earlier,
			changes: { list: describeRange, takeAllowed: async () => [] },
			signal: new AbortController().signal,
			onMade: async () => {},
		});
	}

	/** Tells the work of a turn, as a conversation has it. */
	function tell({ checkpoints }: TurnFiles, others: Partial<AgentWork> = {}): void {
		const entry: EarlierWork = {
			work: { agent: 'errand', label: 'Errand', isSandboxed: true, steps: [], checkpoints, ...others },
			...{ isOnPath: true, isFresh: false },
			keep: async work => {
				earlier = earlier.map(other =>
					other.work.checkpoints === entry.work.checkpoints ? { ...other, work } : other,
				);
			},
		};
		earlier = [entry, ...earlier];
	}

	const workAt = (index: number): AgentWork => earlier.at(index)?.work ?? assert.fail();

	return { at, inCopy, git, write, repository, commit, begin, tell, workAt, id: () => conversation, own: () => own };
}
