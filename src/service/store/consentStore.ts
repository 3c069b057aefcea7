import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { KeptConsent, SandboxProblem, Withdrawal } from '../../contract/agents.ts';

const MAXIMUM_MISSING = 20;

/** What the user has allowed about installing the dependencies of a repository. */
export interface DependencyConsent {
	/** As `host:port`. */
	hosts: readonly string[];
	allowsScripts: boolean;
}

/** Stores what the user has allowed for a repository, given as the absolute path of its folder. */
export class ConsentStore {
	private readonly database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	/** Agents may run on the repository although there is no sandbox for this reason. Replaces an earlier answer. */
	allowUnsandboxed(folder: string, problem: SandboxProblem): void {
		this.put(folder, 'unsandboxed', { hosts: [], allowsScripts: false }, problem);
	}

	/** An answer that was given for another reason does not count. */
	allowsUnsandboxed(folder: string, problem: SandboxProblem): boolean {
		const consent = this.get(folder, 'unsandboxed');
		return consent?.kind === 'unsandboxed' && consent.problem === problem;
	}

	/** Dependencies may be installed from these hosts. Replaces an earlier answer. */
	allowDependencies(folder: string, consent: DependencyConsent): void {
		this.put(folder, 'dependencies', consent, null);
	}

	/** Returns undefined if the user has not answered. */
	dependencies(folder: string): DependencyConsent | undefined {
		const consent = this.get(folder, 'dependencies');
		return consent?.kind === 'dependencies'
			? { hosts: consent.hosts, allowsScripts: consent.allowsScripts }
			: undefined;
	}

	/**
	 * Keeps hosts that an installation failed without, at most 20 for a repository. Nothing happens where the user has not
	 * answered: then nothing was installed. They go when the answer is withdrawn.
	 */
	addMissing(folder: string, hosts: readonly string[]): void {
		const all = [...new Set([...this.missing(folder), ...hosts])].slice(0, MAXIMUM_MISSING);
		this.database
			.prepare("UPDATE consents SET missingHosts = ? WHERE folder = ? AND kind = 'dependencies'")
			.run(JSON.stringify(all), folder);
	}

	/** Returns the hosts that installations have failed without, allowed by now or not. */
	missing(folder: string): string[] {
		const row = this.database
			.prepare("SELECT missingHosts FROM consents WHERE folder = ? AND kind = 'dependencies'")
			.get(folder);
		return row === undefined ? [] : (JSON.parse(String(row['missingHosts'])) as string[]);
	}

	/** Returns everything that is allowed, by the paths of the repositories. */
	list(): KeptConsent[] {
		return this.database.prepare('SELECT * FROM consents ORDER BY folder, kind').all().map(consentOf);
	}

	/** Nothing happens where there is no such consent. */
	withdraw({ folder, kind }: Withdrawal): void {
		this.database.prepare('DELETE FROM consents WHERE folder = ? AND kind = ?').run(folder, kind);
	}

	private put(
		folder: string,
		kind: KeptConsent['kind'],
		{ hosts, allowsScripts }: DependencyConsent,
		problem: SandboxProblem | null,
	): void {
		const values = [folder, kind, JSON.stringify(hosts), Number(allowsScripts), new Date().toISOString(), problem];
		this.database
			.prepare(
				`INSERT INTO consents (folder, kind, hosts, allowsScripts, allowedAt, problem) VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET hosts = excluded.hosts, allowsScripts = excluded.allowsScripts,
					allowedAt = excluded.allowedAt, problem = excluded.problem`,
			)
			.run(...values);
	}

	private get(folder: string, kind: KeptConsent['kind']): KeptConsent | undefined {
		const row = this.database.prepare('SELECT * FROM consents WHERE folder = ? AND kind = ?').get(folder, kind);
		return row && consentOf(row);
	}
}

function consentOf(row: Record<string, SQLOutputValue>): KeptConsent {
	const kept = { folder: String(row['folder']), allowedAt: String(row['allowedAt']) };
	return row['kind'] === 'unsandboxed'
		? { kind: 'unsandboxed', ...kept, problem: row['problem'] as SandboxProblem }
		: {
				kind: 'dependencies',
				...kept,
				hosts: JSON.parse(String(row['hosts'])) as string[],
				allowsScripts: row['allowsScripts'] === 1,
			};
}
