import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { type GitLocation, runGit } from '../../base/git.ts';
import { GitError } from '../../base/gitError.ts';
import { gitReason } from '../../base/gitReason.ts';
import { createKeyRemover } from '../../client/core/keyRemoval.ts';
import type { MadeBranch } from '../../service/tasks/taskRun.ts';

/** The time to withdraw a branch after a run has been ended. */
const WITHDRAW_TIMEOUT_MS = 10_000;
/** A host that sends less than this for a minute has gone. */
const SLOW = ['http.lowSpeedLimit=1', 'http.lowSpeedTime=60'];
/** GitHub and Gitea take any name with a token. */
const USER = 'x-access-token';

export interface HostedOptions {
	/** The address of the repository, without credentials. */
	url: string;
	token: string;
	/** A folder of the run's, in which the clone is made. */
	folder: string;
	/** Marks the processes of the run. */
	marker: string;
	signal: AbortSignal;
}

/**
 * A repository at a source host, and a bare clone of it, from and to which the run itself works. The user's token comes
 * to git by a helper that reads it from a pipe: it is in no command line, variable or file, and in no program of a
 * repository, as none runs there. The helper answers for the host alone, whatever address that leads git to.
 */
export class HostedRepository {
	/** The bare clone. */
	readonly folder: string;
	private readonly options: HostedOptions;
	private readonly url: URL;

	constructor(options: HostedOptions) {
		this.options = options;
		this.url = new URL(options.url);
		const name = path.posix.basename(this.url.pathname).replace(/\.git$/, '');
		this.folder = path.join(options.folder, `${name.replace(/[^\w.-]/g, '-')}.git`);
	}

	/** Clones one branch. Throws a UserFacingError. */
	async clone(branch: string): Promise<void> {
		const { folder, signal } = this.options;
		await mkdir(folder, { recursive: true, mode: 0o700 });
		const how = ['--quiet', '--bare', '--single-branch', '--no-tags', '--template=', `--branch=${branch}`];
		const commandLine = ['clone', ...how, '--', this.url.href, this.folder];
		await this.reach(commandLine, signal).catch(error => {
			throw this.failure(error, `The branch "${branch}" of ${this.url.href} could not be fetched`);
		});
		// A branch that HEAD is on counts as checked out, and would not be moved.
		await runGit(this.location(this.folder), ['symbolic-ref', 'HEAD', 'refs/heads/errand-none'], { signal });
	}

	/** Brings a branch of the clone to the host, unless somebody has moved it there. Throws a UserFacingError. */
	async push({ name, commit, movedFrom }: MadeBranch): Promise<void> {
		await this.move(name, movedFrom, commit, this.options.signal).catch(error => {
			throw this.failure(error, `The branch ${name} could not be pushed to ${this.url.href}`);
		});
	}

	/** Withdraws a branch if it is as it was pushed. Never rejects. */
	async withdraw({ name, commit, movedFrom }: MadeBranch): Promise<void> {
		await this.move(name, commit, movedFrom, AbortSignal.timeout(WITHDRAW_TIMEOUT_MS)).catch(() => {});
	}

	/** Withdraws branches of these names that earlier attempts have made before their workers died. Never rejects. */
	async withdrawLeft(names: readonly string[]): Promise<void> {
		const references = names.map(name => `refs/heads/${name}`);
		const commandLine = ['ls-remote', '--', this.url.href, ...references];
		const listed = await this.reach(commandLine, this.options.signal).catch(() => '');
		for (const line of listed.split('\n')) {
			const [commit = '', reference = ''] = line.split('\t');
			if (references.includes(reference)) {
				await this.withdraw({ name: reference.replace('refs/heads/', ''), commit, movedFrom: undefined });
			}
		}
	}

	private move(name: string, from: string | undefined, to: string | undefined, signal: AbortSignal): Promise<string> {
		const reference = `refs/heads/${name}`;
		const how = ['--quiet', '--no-verify', `--force-with-lease=${reference}:${from ?? ''}`];
		return this.reach(['push', ...how, '--', this.url.href, `${to ?? ''}:${reference}`], signal, this.folder);
	}

	/** Runs a command of git that talks to the host. */
	private reach(commandLine: readonly string[], signal: AbortSignal, gitFolder?: string): Promise<string> {
		const { origin, protocol } = this.url;
		const settings = [...SLOW, 'http.followRedirects=false', `credential.${origin}.helper=!f() { cat <&3; }; f`];
		return runGit(this.location(gitFolder), [...settings.flatMap(setting => ['-c', setting]), ...commandLine], {
			signal,
			furtherInput: Buffer.from(`username=${USER}\npassword=${this.options.token}\n`),
			env: { GIT_ALLOW_PROTOCOL: protocol.replace(':', '') },
		});
	}

	/** Git reads the operator's own configuration, which may name a proxy or a certificate. */
	private location(gitFolder: string | undefined): GitLocation {
		const { folder, marker } = this.options;
		return { home: os.homedir(), cwd: folder, marker, ...(gitFolder && { gitFolder }) };
	}

	private failure(error: unknown, what: string): unknown {
		return error instanceof GitError ? new UserFacingError(`${what}: ${this.cause(error)}`) : error;
	}

	private cause(error: GitError): string {
		const { host } = this.url;
		const { stderr } = error;
		if (/Authentication failed|could not read (?:Username|Password)|error: 401/.test(stderr)) {
			return `${host} does not accept your token. Have another one stored for you.`;
		}
		if (/error: 403|denied to/.test(stderr)) {
			return `your token for ${host} does not permit it.`;
		}
		if (/error: 404|repository '.*' not found/.test(stderr)) {
			return `${host} has no such repository, or your token does not show it.`;
		}
		if (/Remote branch .* not found/.test(stderr)) {
			return 'there is no such branch.';
		}
		if (/stale info/.test(stderr)) {
			return 'somebody else has made or moved it meanwhile. It is left as it is; ask again.';
		}
		if (/Operation too slow|timed out/.test(stderr)) {
			return `${host} did not answer in time. Try again later.`;
		}
		// A host can send back what it was sent, and whoever sees the task reads its words.
		return gitReason({ stderr: createKeyRemover(this.options.token)(stderr) });
	}
}
